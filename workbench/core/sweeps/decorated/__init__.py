"""Reads the configurations of an `@autotune` decorator without running the document."""
