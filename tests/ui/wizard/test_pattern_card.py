"""The list of patterns: what a card has room for."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from workbench.ui.wizard.pattern_card import two_lines

SUMMARY = "C = A B with bias and activation, in fp16, bf16, TF32, int8 or fp8."


def test_a_summary_is_broken_between_words(qapp: QApplication) -> None:
    metrics = QFontMetrics(qapp.font())
    half = metrics.horizontalAdvance(SUMMARY) * 6 // 10
    lines = two_lines(SUMMARY, metrics, half)

    assert " ".join(lines) == SUMMARY
    assert len(lines) == 2
    assert all(metrics.horizontalAdvance(line) <= half for line in lines)


def test_a_short_one_takes_one_line_and_a_long_one_is_cut(qapp: QApplication) -> None:
    metrics = QFontMetrics(qapp.font())
    width = metrics.horizontalAdvance(SUMMARY)

    assert two_lines(SUMMARY, metrics, width) == [SUMMARY]
    assert two_lines(SUMMARY * 4, metrics, width)[1].endswith("…")
