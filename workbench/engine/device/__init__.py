"""Kernels on a real GPU of this machine: compiled, run, timed and checked."""
