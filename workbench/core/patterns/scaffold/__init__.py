"""The empty scaffold, for what no pattern covers: tensors, grid, tiles and a loop, ready to run."""
