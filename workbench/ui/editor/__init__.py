"""The code editor: documents that views share, and everything that is drawn on their lines."""
