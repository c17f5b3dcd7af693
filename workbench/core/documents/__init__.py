"""Kernel documents: the kernels, parameters and cases of a Python file, read without running it.

Workers may import `model`, `discovery` and `selection`; `reading` and `writing` need a TOML reader.
"""
