"""The standard-library core: documents, targets, diagnostics, runs, history, settings."""
