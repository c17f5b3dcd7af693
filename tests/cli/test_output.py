from __future__ import annotations

import pytest

from workbench.cli.output import print_diagnostics
from workbench.core.diagnostics import Diagnostic, Severity, TextRange

LEGAL = "Nearest that fit: threads=64 or threads=256."


@pytest.mark.parametrize(
    ("help_text", "below"),
    [(LEGAL, [f"      help: {LEGAL}"]), ("rules/warp-partition-illegal", []), (None, [])],
)
def test_what_would_fit_stands_below_the_message(
    help_text: str | None, below: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    where = TextRange(7)
    found = Diagnostic("warp-partition-illegal", Severity.ERROR, "No.", where, help=help_text)
    print_diagnostics("k.py", [found])
    line, *rest = capsys.readouterr().out.splitlines()
    assert line == "  k.py:7: error: No. [warp-partition-illegal]"
    assert rest == below
