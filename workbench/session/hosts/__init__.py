"""Where kernels can run: machines, how a worker comes to each, and what each was found to have."""
