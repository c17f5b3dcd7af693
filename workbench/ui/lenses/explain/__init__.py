"""The lens that explains a kernel in words and small pictures."""
