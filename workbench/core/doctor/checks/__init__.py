"""The checks of the lint stage, one file a subject; `rules` puts them into the table."""
