"""The lenses: pictures of the kernel in front, one file each, all linked to its lines."""
