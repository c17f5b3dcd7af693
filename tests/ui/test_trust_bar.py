from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.trust_bar import TrustBar

FOLDER = Path("/home/me/kernels")


@pytest.fixture
def bar(theme: Theme, icons: Icons, qtbot: QtBot) -> TrustBar:
    bar = TrustBar(theme, icons)
    qtbot.addWidget(bar)
    bar.resize(1000, 80)
    return bar


def texts(bar: TrustBar) -> list[str]:
    return [label.text() for label in bar.findChildren(QLabel) if label.text()]


def button(bar: TrustBar, text: str) -> QPushButton:
    return next(b for b in bar.findChildren(QPushButton) if b.text() == text and not b.isHidden())


def test_it_is_hidden_until_asked(bar: TrustBar) -> None:
    assert bar.isHidden()
    assert bar.folder is None


def test_the_question_names_the_folder_and_says_what_running_means(bar: TrustBar) -> None:
    bar.ask(FOLDER)
    question, meaning = texts(bar)
    assert question == "Do you trust the files in “kernels”?"
    assert "run a file's Python" in meaning


def test_trust_is_granted(bar: TrustBar, qtbot: QtBot) -> None:
    bar.ask(FOLDER)
    with qtbot.waitSignal(bar.trust_granted, timeout=1000) as heard:
        button(bar, "Trust folder").click()
    assert heard.args == [str(FOLDER)]


def test_not_now_leaves_the_words_that_nothing_is_run(bar: TrustBar, qtbot: QtBot) -> None:
    bar.ask(FOLDER)
    with qtbot.waitSignal(bar.trust_declined, timeout=1000):
        button(bar, "Not now").click()
    assert texts(bar)[0] == "Not trusted: nothing in “kernels” is run."
    assert not bar.asking
    shown = [b.text() for b in bar.findChildren(QPushButton) if not b.isHidden()]
    assert shown == ["Trust folder"]


def test_who_declined_can_still_trust(bar: TrustBar, qtbot: QtBot) -> None:
    bar.show_declined(FOLDER)
    with qtbot.waitSignal(bar.trust_granted, timeout=1000) as heard:
        button(bar, "Trust folder").click()
    assert heard.args == [str(FOLDER)]


def test_the_full_path_is_in_the_tips(bar: TrustBar) -> None:
    bar.ask(FOLDER)
    assert button(bar, "Trust folder").toolTip() == str(FOLDER)


def test_it_goes_when_there_is_nothing_to_ask(bar: TrustBar) -> None:
    bar.ask(FOLDER)
    bar.dismiss()
    assert bar.isHidden()
    assert bar.folder is None


def visible_texts(bar: TrustBar) -> list[str]:
    labels = [label for label in bar.findChildren(QLabel) if label.isVisible()]
    return [label.text() for label in labels if label.text()]


def test_a_narrow_bar_keeps_the_question_and_its_meaning(bar: TrustBar) -> None:
    bar.ask(FOLDER)
    bar.resize(420, bar.heightForWidth(420))
    question, meaning = visible_texts(bar)
    assert question == "Do you trust the files in “kernels”?"
    assert "run a file's Python" in meaning
    assert bar.height() > bar.heightForWidth(900)  # the buttons stand below


def test_a_narrow_bar_says_in_one_line_what_was_decided(bar: TrustBar) -> None:
    bar.show_declined(FOLDER)
    bar.resize(420, 40)
    assert visible_texts(bar) == ["Not trusted: nothing in “kernels” is run."]
    assert "results need your trust" in bar.accessibleDescription()


def test_a_folder_s_name_is_no_markup(bar: TrustBar) -> None:
    bar.ask(Path("/tmp/<b>x"))
    assert texts(bar)[0] == "Do you trust the files in “<b>x”?"
    before = bar.sizeHint().width()
    bar.ask(Path("/tmp/x"))
    assert bar.sizeHint().width() <= before
