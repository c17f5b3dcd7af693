"""Facts about a kernel's code: what each access of the lowered IR and of the PTX touches."""
