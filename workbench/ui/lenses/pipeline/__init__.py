"""The pipeline lens: a block's copies, waits and work over time."""
