"""Patterns of products with weights of 4 bits: GEMV for few rows, GEMM for many."""
