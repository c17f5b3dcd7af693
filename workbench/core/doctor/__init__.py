"""The kernel doctor: rules that find a kernel's mistakes from its source, before anything runs."""
