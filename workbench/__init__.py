"""TileLang Workbench: design, check and compare TileLang kernels for any GPU."""

__version__ = "0.1.0"
