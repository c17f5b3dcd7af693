"""What the view of a comparison shows: columns, code, metrics in groups, and its conclusion."""
