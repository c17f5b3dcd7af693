"""What the tests of the history share: a history of its own and runs to put there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from workbench.core.history import History
from workbench.core.runs import Artifact, Run, RunKind, RunStatus, new_run_id

START = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History(tmp_path / "history.sqlite") as opened:
        yield opened


@pytest.fixture
def make_run() -> Callable[..., Run]:
    """Makes a run of the given minute after the start, with artifacts of the given contents."""

    def make(minute: int = 0, *contents: bytes, **fields: Any) -> Run:
        created = START + timedelta(minutes=minute)
        artifacts = tuple(Artifact.of(f"{i}.bin", "x/y", c) for i, c in enumerate(contents))
        usual = {"kind": RunKind.COMPILE, "status": RunStatus.DONE, "artifacts": artifacts}
        return Run(**{"id": new_run_id(created), "created": created, **usual, **fields})

    return make
