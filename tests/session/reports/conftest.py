from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from tests.support.chart_runs import run
from workbench.core.history import History
from workbench.core.runs import blob_hash
from workbench.core.targets.table import load_targets
from workbench.session.comparison_desk import Loaded, Order, load
from workbench.session.reports.model import About
from workbench.session.reports.writing import Themes
from workbench.ui.theme.tokens import DARK, LIGHT

HOSTILE = '<script>alert("x")</script>'
EVIL = f"{HOSTILE} & 'q' `b` |p| ]]> \x1b[31m \ud800 <img src=https://evil.example/x.png>"
TEXTS = (
    b"def matmul(M):\n    x = 1\n    return M\n",
    f"def matmul(M):\n    x = '{HOSTILE}'\n    return M\n".encode(),
)


@pytest.fixture
def loaded(tmp_path: Path) -> Iterator[Loaded]:
    """Two runs in whose every text somebody wrote markup."""
    with History(tmp_path / "history.sqlite3") as history:
        for number, (text, time) in enumerate(zip(TEXTS, (20.0, 10.0), strict=True)):
            made = replace(
                run(number, {"time_us": time}, {"time_us": time + 1}),
                kernel=HOSTILE,
                case=EVIL,
                document=EVIL,
                note=EVIL,
                error=EVIL,
                tags=(HOSTILE,),
                args={"M": 4096, HOSTILE: EVIL},
                versions={HOSTILE: EVIL},
                device=EVIL,
                text_blob=blob_hash(text),
            )
            history.add(made, [text])
        yield load(history, Order(("run0", "run1"), "run0"), load_targets().resolve)


@pytest.fixture
def about() -> About:
    return About(EVIL, datetime(2026, 11, 30, tzinfo=timezone.utc), "0.1.0")


@pytest.fixture
def themes() -> Themes:
    return Themes(vars(LIGHT), vars(DARK))
