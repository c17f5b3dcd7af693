"""Guidelines: customs of fast and robust kernels, told as hints where they apply."""
