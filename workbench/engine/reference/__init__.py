"""Reads the names of the installed TileLang for the reference."""
