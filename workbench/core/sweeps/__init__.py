"""Sweeps over configurations of a kernel: the space, what becomes of its points, and the choice."""
