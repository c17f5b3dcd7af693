"""The roofline lens: ceilings of memory and units, and the kernel's place below them."""
