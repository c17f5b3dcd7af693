"""The bank lens: sites in a table, punch cards of what lanes do, and what changes would do."""
