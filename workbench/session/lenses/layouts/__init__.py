"""The layouts' picture: who holds each cell of a fragment, and the banks of a tile."""
