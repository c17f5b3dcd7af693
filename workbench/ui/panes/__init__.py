"""The panes: each shows frozen data given to it, and says by signals what the person wants."""
