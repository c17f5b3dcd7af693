"""The page of a comparison: columns of runs, what differs between them, and charts of them."""
