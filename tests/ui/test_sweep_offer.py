"""The window's form of a sweep with the configurations of a decorator that only a run tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from tests.support.tuned_documents import UNTOLD, tuned
from workbench.app import Application
from workbench.core.jobs import ConfigurationsRequest, ConfigurationsResult
from workbench.core.plain import to_plain
from workbench.wire.events import Ended

FOUND = ConfigurationsResult(None, tuple({"block": b, "threads": 128} for b in (32, 64)))


@pytest.fixture
def application(
    qtbot: Any, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Application]:
    """A window with the document open, in a folder that is trusted; a worker answers `FOUND`."""
    (tmp_path / ".git").mkdir()
    tuned(tmp_path, UNTOLD)
    made = Application(qapp, tmp_path)

    def submit(request: Any, on_end: Any, **_: Any) -> str:
        if isinstance(request, ConfigurationsRequest):
            assert request.source.trusted
            made.session.post(lambda: on_end(Ended("job", "done", to_plain(FOUND))))
        return "job"

    monkeypatch.setattr(made.session.jobs, "submit", submit)
    made.session.trust.grant(tmp_path)
    made.show(())
    made.controller.files.open(tmp_path / "scale.py")
    qtbot.waitExposed(made.window)
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def test_a_worker_tells_them_and_the_form_counts_their_points(
    qtbot: Any, application: Application
) -> None:
    sweeping = application.controller.sweeping
    application.controller.actions["sweep"].trigger()
    form = sweeping.page.form
    qtbot.waitUntil(
        lambda: form.decorator.text() == "The decorator's 2 configurations", timeout=30_000
    )
    assert form.decorator.isChecked()
    qtbot.waitUntil(lambda: sweeping.desk.sieve.result.is_complete, timeout=30_000)
    assert sweeping.desk.sieve.result.total == 2
    assert form.start.isEnabled()
    form.decorator.click()
    qtbot.waitUntil(lambda: sweeping.desk.sieve.result.total == 3, timeout=30_000)
    assert sweeping.desk.form is not None
    assert sweeping.desk.form.configurations == ()
