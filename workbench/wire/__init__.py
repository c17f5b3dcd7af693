"""Requests and events between a session and its workers, and their encoding."""
