"""Loads Qt and leaves Python's own import in place, which makes a start a third shorter.

PySide6 replaces `builtins.__import__` by one that reads the source of every module loaded after it,
to see whether it wants `__feature__`. None of ours does. Import this before anything else of Qt.
"""

from __future__ import annotations

import builtins

_plain_import = builtins.__import__

import PySide6.QtCore  # noqa: E402, F401 - it is what puts another import in place

builtins.__import__ = _plain_import
