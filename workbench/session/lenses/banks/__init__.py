"""The bank lens's picture: ranked sites, punch cards of lanes, and what changes would do."""
