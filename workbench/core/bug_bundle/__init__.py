"""Bug bundles: when a compiler is suspect, and what a report of it holds."""
