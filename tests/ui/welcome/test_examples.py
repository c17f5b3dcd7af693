from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from workbench.core.data_files import find_data
from workbench.core.documents.reading import parse_document
from workbench.ui.theme.theme import Theme
from workbench.ui.welcome.canvas import Canvas
from workbench.ui.welcome.examples import Example, facts_of, shipped_examples

EXAMPLES = shipped_examples(find_data("kernels"))


def painted(example: Example, theme: Theme, width: int = 200, height: int = 136) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(theme.colour("bg2"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    example.picture(Canvas(painter, QRectF(0, 0, width, height), theme))
    painter.end()
    return image


def test_the_shipped_kernels_with_a_picture_are_the_examples() -> None:
    assert [example.path.name for example in EXAMPLES] == [
        "gemm.py",
        "softmax.py",
        "rms_norm.py",
        "elementwise_add.py",
        "gemm_cpu.py",
    ]


def test_an_example_whose_file_is_gone_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "softmax.py").write_text("", encoding="utf-8")
    assert [example.title for example in shipped_examples(tmp_path)] == ["Softmax"]


def test_a_file_that_cannot_be_read_keeps_its_card(tmp_path: Path) -> None:
    (tmp_path / "gemm.py").write_bytes(b"\x00\x01")
    assert [example.facts for example in shipped_examples(tmp_path)] == [()]


def test_the_facts_are_those_of_the_document() -> None:
    block = (
        '# /// workbench\n# [[case]]\n# name = "a"\n# targets = ["h100", "a100"]\n'
        '# [[case]]\n# name = "b"\n# targets = ["h100"]\n# ///\n'
    )
    assert facts_of(parse_document(block)) == (
        "2 cases · H100, A100",
        "2 cases · H100 +1",
        "2 cases",
    )
    assert facts_of(parse_document("x = 1\n")) == ()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.path.stem)
def test_no_picture_claims_a_figure(example: Example) -> None:
    words = f"{example.text} {example.facts}"
    assert not any(unit in words for unit in ("TFLOP", "µs", "GB/s", "%", "measured"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.path.stem)
def test_a_picture_stays_in_its_field(example: Example, theme: Theme) -> None:
    image = painted(example, theme, 300, 136)
    ground = QColor(theme.colour("bg2"))
    outside = [*range(48), *range(252, 300)]
    assert all(image.pixelColor(x, y) == ground for x in outside for y in range(0, 136, 3))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.path.stem)
def test_a_picture_follows_the_theme(example: Example, theme: Theme) -> None:
    dark = painted(example, theme)
    theme.set_choice("light")
    assert painted(example, theme) != dark


def test_the_gemm_s_tile_is_in_the_hue_of_shared_memory(theme: Theme) -> None:
    image = painted(EXAMPLES[0], theme)
    assert image.pixelColor(88 + 5 * 13 + 8, 50 + 27 + 5) == theme.colour("shared")
