"""The examples of the welcome page: the shipped kernels that have a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.core.documents.model import Document, DocumentError
from workbench.core.documents.reading import read_document
from workbench.ui.welcome import pictures
from workbench.ui.welcome.canvas import Canvas

Picture = Callable[[Canvas], None]


@dataclass(frozen=True)
class Example:
    """A card: the file it opens a copy of, its words, and what paints it."""

    path: Path
    title: str
    text: str
    facts: str
    picture: Picture


_TABLE: tuple[tuple[str, str, str, Picture], ...] = (
    ("gemm.py", "GEMM", "A tile of C from tiles of A and B, in a pipeline", pictures.paint_gemm),
    (
        "softmax.py",
        "Softmax",
        "One pass for maximum and sum together",
        pictures.paint_softmax,
    ),
    ("rms_norm.py", "RMS norm", "A whole row in the registers of a block", pictures.paint_rms_norm),
    (
        "elementwise_add.py",
        "Elementwise add",
        "A shape that no tile of the grid divides",
        pictures.paint_elementwise,
    ),
    (
        "gemm_cpu.py",
        "GEMM for the CPU",
        "Plain C that the host compiler vectorises",
        pictures.paint_gemm_cpu,
    ),
)


def shipped_examples(folder: Path) -> tuple[Example, ...]:
    """The examples whose files are in the folder of shipped kernels; nothing is executed."""
    return tuple(
        Example(folder / name, title, text, _facts(folder / name), picture)
        for name, title, text, picture in _TABLE
        if (folder / name).is_file()
    )


def _facts(path: Path) -> str:
    """How many cases an example has, and for which targets; "" where it cannot be read."""
    try:
        document = read_document(path)
    except DocumentError:
        return ""  # opening the card says what is wrong with the file
    return facts_of(document)


def facts_of(document: Document) -> str:
    """For example "3 cases · H100, A100, MI300X"."""
    cases = document.metadata.cases if document.metadata else ()
    if not cases:
        return ""
    targets = dict.fromkeys(target.upper() for case in cases for target in case.targets)
    count = "1 case" if len(cases) == 1 else f"{len(cases)} cases"
    return " · ".join(part for part in (count, ", ".join(targets)) if part)
