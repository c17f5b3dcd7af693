"""Charts across runs and targets: what each shows, where its marks lie, and their SVG and CSV."""
