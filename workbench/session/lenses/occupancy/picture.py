"""The occupancy lens's picture: limits, stairs and the sentence above them, for all targets."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.session.lenses.occupancy.bars import Column, LimitRow, column_of, limit_rows
from workbench.session.lenses.occupancy.block import TargetBlock, line_of, target_block
from workbench.session.lenses.occupancy.stairs import Stair, stairs
from workbench.session.lenses.occupancy.words import Note, conclusion, stair_notes
from workbench.session.lenses.subject import LensSubject


@dataclass(frozen=True)
class OccupancyPicture:
    """`slots` is what a full bar stands for; `notes` belong to the stairs, one tuple each."""

    columns: tuple[Column, ...]
    rows: tuple[LimitRow, ...]
    slots: int
    stairs: tuple[Stair, ...]
    notes: tuple[tuple[Note, ...], ...]
    conclusion: str

    @property
    def needs_analysis(self) -> bool:
        """Whether an analysis of the machine code would tell what is unknown."""
        return any(each.needs_analysis for each in self.columns)


def occupancy_picture(subject: LensSubject) -> OccupancyPicture | str:
    """The occupancy on all chosen targets; why there is none, where none is known."""
    targets = subject.targets
    found = [target_block(each) for each in targets]
    known = [each for each in found if not isinstance(each, str)]
    if not known:
        return str(found[0]) if found else "no target is chosen"
    earlier = _before(subject)
    before = [earlier.get(each.target.name) for each in targets]
    was = [earlier.get(each.target.target.name) for each in known]
    lined = tuple(
        replace(each, line=line_of(each.resource, targets)) for each in stairs(known, was)
    )
    rows = tuple(
        replace(row, line=line_of(row.resource, targets))
        for row in limit_rows(targets, found, before)
    )
    return OccupancyPicture(
        tuple(column_of(*pair) for pair in zip(targets, found, strict=True)),
        rows,
        max(each.arch.limits.max_blocks_per_sm or 1 for each in known),
        lined,
        tuple(stair_notes(each) for each in lined),
        conclusion(known),
    )


def _before(subject: LensSubject) -> dict[str, TargetBlock]:
    """The blocks with the case's own arguments, by target."""
    blocks = [target_block(each) for each in subject.before]
    return {each.target.target.name: each for each in blocks if isinstance(each, TargetBlock)}
