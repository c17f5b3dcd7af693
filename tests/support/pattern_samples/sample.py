"""What a set of fields for tests is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Sample:
    """One set of fields, with the targets that it is for.

    `quick` ones are lowered and verified in the suite, all of them with the thorough tests; the
    text of `golden` ones is kept in `tests/data/patterns`, that of `shipped` ones in `kernels`.
    An `unfinished` one is to be filled in: it loads tiles that nothing reads. `accepted` are codes
    of warnings that its recommendations take into account, as their reasons say.
    """

    name: str
    pattern: str
    targets: str
    values: dict[str, Any] = field(default_factory=dict)
    quick: bool = False
    unfinished: bool = False
    golden: bool = False
    shipped: bool = False
    accepted: frozenset[str] = frozenset()
