"""The occupancy lens: bars of what limits the blocks of every target, and stairs below them."""
