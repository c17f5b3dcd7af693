"""Prints how long the window takes to be usable, and an edit to become fresh problems.

Each figure is the median of several runs in one process or of several processes; run it on an idle
machine: `python benchmarks/window.py`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STARTS = 5
EDITS = 7

START = """
import sys, time
begun = time.perf_counter()
from pathlib import Path
from PySide6.QtWidgets import QApplication
from workbench.app import Application
app = QApplication([])
application = Application(app, Path(sys.argv[1]))
application.show([Path(sys.argv[1]) / "gemm.py"])
app.processEvents()
application.window.grab()
seconds = time.perf_counter() - begun
heavy = [name for name in ("torch", "tilelang") if name in sys.modules]
print(seconds, ",".join(heavy) or "none")
application.close()
"""


def main() -> None:
    """Print both figures."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        starts = [start(folder) for _ in range(STARTS)]
        seconds = [float(s.split()[0]) for s in starts]
        heavy = {s.split()[1] for s in starts}
        print(
            f"time to interactive   {statistics.median(seconds):.3f} s (goal 0.5), "
            f"{min(seconds):.3f} to {max(seconds):.3f}; torch or tilelang loaded: {heavy}"
        )
        times = edits(Path(folder))
        print(
            f"edit to problems      {statistics.median(times):.3f} s (goal 1), "
            f"{min(times):.3f} to {max(times):.3f}, of it 0.4 s of waiting for more keys"
        )


def prepare(folder: Path) -> None:
    """A workspace with the GEMM, and folders of its own for everything that is written."""
    (folder / "gemm.py").write_text((ROOT / "kernels" / "gemm.py").read_text())
    (folder / ".git").mkdir()
    for name in ("CONFIG", "DATA", "CACHE"):
        os.environ[f"TILELANG_WORKBENCH_{name}"] = str(folder / name.lower())


def start(folder: str) -> str:
    """One start in a fresh process: seconds, and which heavy packages it loaded."""
    words = [sys.executable, "-c", START, folder]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def edits(folder: Path) -> list[float]:
    """Seconds from a key to the results of the text that it made, for one target."""
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from workbench.app import Application

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    application = Application(app, folder, trusts_all=True)
    application.show([folder / "gemm.py"])
    tab = application.window.editors.current
    assert tab is not None
    document = tab.document
    application.session.set_targets(document, ("h100",))
    times = []

    def is_fresh() -> bool:
        known = document.compiled.get("h100")
        return known is not None and known.revision == document.revision

    QTest.qWaitFor(is_fresh, 120_000)
    tab.current.go_to(60)
    for number in range(EDITS):
        revision, begun = document.revision, time.perf_counter()
        QTest.keyClicks(tab.current.view, f"# {number}")
        QTest.qWaitFor(lambda old=revision: document.revision > old and is_fresh(), 60_000)
        times.append(time.perf_counter() - begun)
    application.close()
    return times


if __name__ == "__main__":
    main()
