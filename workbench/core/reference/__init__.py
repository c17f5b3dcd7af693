"""The offline reference: its pages, where they come from, and the search over them."""
