"""Sweeps: sifts configurations, has them lowered, compiled and measured where that can be done."""
