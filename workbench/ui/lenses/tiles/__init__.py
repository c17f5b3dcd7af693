"""The tile map lens: blocks in waves, and the tiles that a block reads step by step."""
