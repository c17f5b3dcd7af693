"""The tile map's picture: blocks in launch order and waves, and the tiles that a block reads."""
