"""What lenses are given of a document: problems of the text as it is, and of no earlier one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.jobs import CompileResult, Failure
from workbench.session.lenses.subject import lens_subject
from workbench.session.open_document import Compiled
from workbench.session.session import Session, surroundings_of

CONFLICT = Diagnostic("layout-conflict", Severity.ERROR, "they conflict")


class _NoTimer:
    """A timer that never fires: nothing here waits."""

    def __init__(self, _call: Callable[[], None]) -> None:
        pass

    def restart(self, delay_ms: int) -> None:
        pass

    def stop(self) -> None:
        pass


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session(tmp_path, surroundings_of(lambda call: call(), _NoTimer))
    made.update_settings(live_refresh=False)
    yield made
    made.close()


def test_problems_of_the_text_as_it_is_are_given_and_older_ones_are_not(session: Session) -> None:
    document = session.open_text("x = 1\n", "k.py")
    (name,) = document.targets
    failed = CompileResult(Failure("kernel", "they conflict"), diagnostics=(CONFLICT,))
    document.take(name, Compiled(document.revision, failed))
    (target,) = lens_subject(document, session).targets
    assert target.problems == (CONFLICT,)
    assert target.compiled is None
    document.set_text("x = 2\n")
    (target,) = lens_subject(document, session).targets
    assert target.problems == ()
