"""What a session says of a job beside its request: the protocol's versions, and limits."""

from __future__ import annotations

from dataclasses import dataclass

PROTOCOL_MIN = 1
PROTOCOL_MAX = 3
#: The version in which each kind of job came that version 1 has not got. Version 2 also has "beat".
SINCE = {"probe": 2, "profile": 2, "configurations": 3}


@dataclass(frozen=True)
class Limits:
    """What one job may use: wall-clock seconds, and bytes of resident memory of its processes."""

    seconds: float = 120.0
    memory_bytes: int = 8 * 1024**3
