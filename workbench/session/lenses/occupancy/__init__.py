"""The occupancy lens's picture: limits of blocks by resource, and stairs over their use."""
