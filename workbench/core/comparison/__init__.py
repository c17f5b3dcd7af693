"""Runs beside each other: what differs between them, and which differences are noise."""
