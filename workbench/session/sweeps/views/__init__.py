"""What the window shows of a sweep: frozen pictures made of its points, without a toolkit."""
