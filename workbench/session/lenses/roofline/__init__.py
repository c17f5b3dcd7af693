"""The roofline lens's picture: what each target's memory and units allow, and the kernel in it."""
