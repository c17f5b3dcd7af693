"""Patterns: records from which complete kernel documents are generated, without a worker.

`table` holds them, `generating` makes the text, `legality` and `recommending` guide the choices,
`reopening` leads from a generated document back to them, `sentences` from a person's words.
"""
