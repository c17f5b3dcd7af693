"""Targets: the architectures and GPU models that kernels are lowered and analysed for.

Workers import `model` alone; `table` and `reading` need tomllib and stay with the session.
"""
