"""The examples of the welcome page: the shipped kernels that have a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.core.documents.model import Document, DocumentError
from workbench.core.documents.reading import read_document
from workbench.ui.welcome import pictures
from workbench.ui.welcome.canvas import Canvas

Picture = Callable[[Canvas], None]


@dataclass(frozen=True)
class Example:
    """A card: the file it opens a copy of, its words, and what paints it.

    `facts` say the same ever shorter: a card shows the first that it has room for.
    """

    path: Path
    title: str
    text: str
    facts: tuple[str, ...]
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


def _facts(path: Path) -> tuple[str, ...]:
    """How many cases an example has, and for which targets; nothing where it cannot be read."""
    try:
        document = read_document(path)
    except DocumentError:
        return ()  # opening the card says what is wrong with the file
    return facts_of(document)


def facts_of(document: Document) -> tuple[str, ...]:
    """For example "2 cases · H100, A100", "2 cases · H100 +1", "2 cases"."""
    cases = document.metadata.cases if document.metadata else ()
    if not cases:
        return ()
    targets = list(dict.fromkeys(target.upper() for case in cases for target in case.targets))
    count = "1 case" if len(cases) == 1 else f"{len(cases)} cases"
    named = [_named(targets, shown) for shown in range(len(targets), 0, -1)]
    return (*(f"{count} · {names}" for names in named), count)


def _named(targets: Sequence[str], shown: int) -> str:
    """The first of the targets, and how many more there are."""
    more = len(targets) - shown
    return ", ".join(targets[:shown]) + (f" +{more}" if more else "")
