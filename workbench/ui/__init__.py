"""The window: the one part of the package that knows Qt."""
