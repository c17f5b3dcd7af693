"""What an export holds of a kernel: its launch as the host makes it, its source, machine code."""
