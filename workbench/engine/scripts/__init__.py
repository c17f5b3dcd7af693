"""Executes existing TileLang scripts and tests without a GPU, kernels in the simulator."""
