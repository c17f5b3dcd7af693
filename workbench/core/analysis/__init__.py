"""Analyses of what a kernel asks of the hardware: pure functions of addresses and resources.

They need numpy alone and know neither TileLang nor a compiler; workers may import all of them.
"""
