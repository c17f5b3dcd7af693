"""The pipeline lens's picture: when a block's warps copy, wait and compute."""
