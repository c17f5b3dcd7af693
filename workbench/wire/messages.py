"""What a session says of a job beside its request: the protocol's range, and limits."""

from __future__ import annotations

from dataclasses import dataclass

PROTOCOL_MIN = 1
PROTOCOL_MAX = 1


@dataclass(frozen=True)
class Limits:
    """What one job may use: wall-clock seconds, and bytes of resident memory of its processes."""

    seconds: float = 120.0
    memory_bytes: int = 8 * 1024**3
