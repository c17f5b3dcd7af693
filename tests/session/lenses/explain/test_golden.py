"""The pages of three kernels, as they are read: each sentence was held against the kernel by hand.

`WORKBENCH_WRITE_GOLDEN=1` writes them anew, to be read again before they are kept.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.documents.reading import read_document
from workbench.core.documents.selection import select
from workbench.core.jobs import AnalyzeRequest, KernelChoice, Source
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import load_targets
from workbench.session.lenses.explain.model import Bars, Explanation, Tone
from workbench.session.lenses.explain.model import Path as DataPath
from workbench.session.lenses.explain.page import explanation
from workbench.session.lenses.subject import LensSubject, LensTarget

ROOT = Path(__file__).parents[4]
DATA = ROOT / "tests" / "data" / "explain"
KERNELS = {
    "gemm-h100": (ROOT / "kernels" / "gemm.py", "square", "h100"),
    "gemm-mi300x": (ROOT / "kernels" / "gemm.py", "mi300x", "mi300x"),
    "softmax-a100": (ROOT / "kernels" / "softmax.py", None, "a100"),
    "attention-h100": (DATA / "attention.py", "small", "h100"),
}


def subject(path: Path, case: str | None, target: str) -> LensSubject:
    from workbench.engine.analysis.job import analyze_kernel

    document = read_document(path)
    chosen = select(document, None, case, {})[0]
    source = Source(str(path), document.text, str(path.parent), True)
    kernel = chosen.kernel
    choice = KernelChoice(kernel.name, kernel.style.value, chosen.args, kernel.line)
    found = load_targets().resolve(target)
    result = analyze_kernel(AnalyzeRequest(source, choice, found.to_json(), 1), lambda *_: None)
    plain = from_plain(AnalyzeResult, json.loads(json.dumps(to_plain(result))))
    shown = LensTarget(found, 0, plain, level=1)
    return LensSubject(str(path), path.name, "", kernel.name, case, chosen.args, (shown,))


def text_of(page: Explanation) -> str:
    lines = [page.conclusion]
    for section in page.sections:
        lines += ["", f"## {section.title}"]
        for drawing in section.drawings:
            lines += drawing_lines(drawing)
        for each in section.sentences:
            place = f" (line {each.line})" if each.line is not None else ""
            tone = "" if each.tone is Tone.FACT else f"[{each.tone.value}] "
            lines.append(f"- {tone}{each.text}{place}")
    return "\n".join(lines) + "\n"


def drawing_lines(drawing: Bars | DataPath) -> list[str]:
    if isinstance(drawing, DataPath):
        names = [level.name for level in drawing.levels]
        links = [f"{each.inward}/{each.outward} {each.unit}".strip() for each in drawing.links]
        return [
            f"path {names[0]}"
            + "".join(f" <{a}> {b}" for a, b in zip(links, names[1:], strict=True))
        ]
    bars = [f"{'* ' if bar.is_limit else ''}{bar.name} {bar.text}" for bar in drawing.bars]
    return [f"bars {drawing.heading}: {'; '.join(bars)}"]


@pytest.mark.parametrize("name", KERNELS)
def test_the_page_of_a_kernel(name: str) -> None:
    made = subject(*KERNELS[name])
    page = explanation(made, made.targets[0])
    assert page is not None
    golden = DATA / f"{name}.txt"
    if os.environ.get("WORKBENCH_WRITE_GOLDEN"):
        golden.write_text(text_of(page), encoding="utf-8")
    assert text_of(page) == golden.read_text(encoding="utf-8")
