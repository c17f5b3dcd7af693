"""Verification: a kernel's outputs, executed somewhere, against its reference in float64."""
