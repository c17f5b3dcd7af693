"""The wizard behind the window: drafts of kernels, what they cost, and whether they are right."""
