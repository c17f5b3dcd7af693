"""The edits of a change, lowered: the kernel costs then what was predicted before the edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.banked_tiles import TRANSPOSE
from tests.support.lowering_faults import analyzed_text
from workbench.core.analysis.bank_changes import Change, ChangeKind, changed
from workbench.core.analysis.bank_tables import NVIDIA
from workbench.core.doctor.fixes.situation import situation_of
from workbench.core.doctor.fixes.tile_changes import change_fix
from workbench.core.doctor.lint import Subject
from workbench.core.doctor.text_edits import apply_fix
from workbench.core.documents.reading import parse_document
from workbench.core.targets.table import load_targets


@pytest.mark.parametrize(
    ("kind", "amount"),
    [
        (ChangeKind.PAD, 1),
        (ChangeKind.PAD, 4),
        (ChangeKind.SWIZZLE, 128),
        (ChangeKind.SWIZZLE, 64),
        (ChangeKind.SWIZZLE, 32),
        (ChangeKind.XOR, 1),
    ],
)
def test_a_change_does_what_was_predicted(kind: ChangeKind, amount: int, tmp_path: Path) -> None:
    (kernel,) = analyzed_text(tmp_path / "kernel.py", TRANSPOSE).kernels
    tiles = kernel.shared_tiles
    assert tiles is not None
    change = Change(kind, "S", amount)
    predicted = changed(tiles, change, NVIDIA)
    (edited,) = analyzed_text(tmp_path / "kernel.py", _edited(change)).kernels
    assert edited.shared is not None
    wavefronts = [site.wavefronts for site in edited.shared.ir_sites]
    assert [each.count.wavefronts for each in predicted.sites] == wavefronts
    assert edited.lifetimes is not None
    assert edited.lifetimes.buffers[0].size_bytes == 32 * 32 * 4 + predicted.extra_bytes


def _edited(change: Change) -> str:
    document = parse_document(TRANSPOSE)
    subject = Subject(document.kernels[0], {}, (load_targets().resolve("sm_80"),))
    situation = situation_of(document, (subject,))
    assert situation is not None
    return apply_fix(TRANSPOSE, change_fix(situation, change))
