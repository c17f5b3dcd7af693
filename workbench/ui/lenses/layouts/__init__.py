"""The layouts lens: cells by thread and register, and the banks of a tile before and after."""
