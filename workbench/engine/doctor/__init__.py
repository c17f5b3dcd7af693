"""Tells what an error of TileLang means for a kernel: line, operands, reason, what fits."""
