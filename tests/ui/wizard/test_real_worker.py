"""The wizard with the real worker: meters fill, the checks pass, the document lowers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from workbench.app import Application

WAIT_MS = 240_000

pytestmark = pytest.mark.slow


@pytest.fixture
def application(qtbot: Any, qapp: QApplication, tmp_path: Path) -> Iterator[Application]:
    (tmp_path / ".git").mkdir()
    made = Application(qapp, tmp_path)
    made.show(())
    qtbot.waitExposed(made.window)
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def test_a_sentence_becomes_a_document_that_is_right(application: Application, qtbot: Any) -> None:
    wizards = application.controller.wizards
    wizards.open()
    wizard, page = wizards.wizard, wizards.page
    assert wizard.read("fp16 matmul for H100, M=N=K=128")

    qtbot.waitUntil(
        lambda: bool(page.costs.meters.meters.rows[0].cells[0].is_known), timeout=WAIT_MS
    )
    cell = page.costs.meters.meters.rows[0].cells[0]
    assert cell.unit == "KiB"
    assert cell.of == "of 227"

    wizard.go("check")
    qtbot.waitUntil(lambda: bool(page.view and not page.view.check.is_busy), timeout=WAIT_MS)
    assert [item.state.value for item in page.check.items] == ["good"] * len(page.check.items)
    assert "registers a thread" in page.check.items[0].text

    wizard.go("done")
    page.next.click()
    tab = application.controller.tab
    assert tab is not None
    document = tab.document
    qtbot.waitUntil(lambda: "h100" in document.good, timeout=WAIT_MS)
    assert not any(problem.diagnostic.severity.value == "error" for problem in document.problems())
