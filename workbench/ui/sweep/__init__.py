"""The page of sweeps: the form of a new one, its points live, maps, charts and reasons."""
