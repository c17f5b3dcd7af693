"""Reports of runs side by side, as files that need nothing else: HTML, Markdown, CSV, JSON."""
