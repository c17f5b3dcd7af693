"""A kernel's texts from the tile-level IR to SASS, with the line of the document of each row."""
