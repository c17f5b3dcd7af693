"""The figures that a fix changes are told once the results of the new text are there."""

from __future__ import annotations

from analysis_results import analysis, analyzed, shared_report
from analysis_results import shared_site as site

from workbench.core.analysis.shared_sites import SharedKind
from workbench.core.diagnostics import Diagnostic, Edit, Fix, Severity, TextRange
from workbench.session.analyzed import Analyzed
from workbench.session.fix_effects import FigureChange, FixEffects, figures_of
from workbench.session.fixes import OfferedFix
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem

TEXT = "import tilelang\n\n\n@tilelang.jit\ndef kernel(M=16):\n    return None\n"
CONFLICT = Diagnostic("bank-conflict", Severity.WARNING, "8-way bank conflict", TextRange(5))
OFFERED = OfferedFix(
    Fix("Pad s by 8", (Edit(TextRange(5, 1), "#"),)), (Problem(CONFLICT, "k.py"),), revision=0
)


def document() -> OpenDocument:
    opened = OpenDocument.of(TEXT, None, "k.py")
    opened.targets = ("a100",)
    return opened


def conflicts(ways: int) -> Analyzed:
    report = shared_report(
        site(5, SharedKind.LOAD, wavefronts=8, ideal=8 // ways, conflicts=8 - 8 // ways, ways=ways)
    )
    return Analyzed(0, 2, analyzed(analysis(shared=report)))


def test_figures_of_a_document_without_results_are_unknown() -> None:
    assert set(figures_of(document()).values()) == {None}


def test_the_effect_waits_for_the_results_of_the_new_text() -> None:
    opened = document()
    opened.analyses.take("a100", conflicts(8))
    effects = FixEffects(lambda _: ())
    effects.begin(opened, OFFERED)
    assert effects.look(opened) is None
    opened.set_text(TEXT + "# padded\n")
    assert effects.look(opened) is None
    after = conflicts(1)
    opened.analyses.take("a100", Analyzed(opened.revision, after.level, after.result))
    effect = effects.look(opened)
    assert effect is not None
    assert effect.changes == (FigureChange("bank conflict", "8-way", "none"),)
    assert effect.sentence == "bank-conflict is gone; bank conflict 8-way → none"
    assert effects.look(opened) is None


def test_what_is_left_of_the_code_is_counted() -> None:
    opened = document()
    left = [Problem(CONFLICT, "k.py"), Problem(CONFLICT, "k.py", stale=True)]
    effects = FixEffects(lambda _: left)
    effects.begin(opened, OFFERED)
    opened.set_text(TEXT + "# other\n")
    found = conflicts(8)
    opened.analyses.take("a100", Analyzed(opened.revision, found.level, found.result))
    effect = effects.look(opened)
    assert effect is not None
    assert (effect.left, effect.sentence.split(";")[0]) == (1, "1 × bank-conflict left")


def test_a_closed_document_is_forgotten() -> None:
    opened = document()
    effects = FixEffects(lambda _: ())
    effects.begin(opened, OFFERED)
    effects.forget(opened)
    opened.set_text(TEXT + "# other\n")
    opened.analyses.take("a100", Analyzed(opened.revision, 1, conflicts(1).result))
    assert effects.look(opened) is None
