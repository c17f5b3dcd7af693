"""Hardware counters: their names, units and files, and how predictions stand to them."""
