"""What is selected, in the editor and in all lenses alike, and the way back through it."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.session.signal import Signal

_MOST = 100


@dataclass(frozen=True)
class Selection:
    """A thing of the kernel: a line from 1, a buffer, an access site of a line, a block.

    What is None is not meant in particular. `site` is the place of an access in its line's order,
    `block` the indices (x, y, z) in the grid.
    """

    line: int | None = None
    buffer: str | None = None
    site: int | None = None
    block: tuple[int, int, int] | None = None

    def meets(self, other: Selection | None) -> bool:
        """Whether a mark that stands for `self` lights up where `other` is selected."""
        if other is None:
            return False
        if self.block is not None and other.block is not None:
            return self.block == other.block
        if other.buffer is not None and self.buffer is not None:
            return self.buffer == other.buffer
        if self.line is None or self.line != other.line:
            return False
        return self.site is None or other.site is None or self.site == other.site


class Trail:
    """The selections that a person made, to go back and forward through; each once in a row."""

    def __init__(self) -> None:
        self.changed: Signal[[Selection]] = Signal()
        self._made: list[Selection] = []
        self._place = -1

    @property
    def current(self) -> Selection | None:
        """What is selected."""
        return self._made[self._place] if self._place >= 0 else None

    @property
    def can_go_back(self) -> bool:
        """Whether something was selected before."""
        return self._place > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether one went back from something."""
        return self._place + 1 < len(self._made)

    def select(self, selection: Selection) -> None:
        """Select something; what was gone back from is forgotten."""
        if selection != self.current:
            self._made = [*self._made[: self._place + 1], selection][-_MOST:]
            self._place = len(self._made) - 1
        self.changed.emit(selection)

    def back(self) -> None:
        """Select again what was selected before."""
        self._go(-1)

    def forward(self) -> None:
        """Select again what one went back from."""
        self._go(1)

    def _go(self, step: int) -> None:
        if 0 <= self._place + step < len(self._made):
            self._place += step
            self.changed.emit(self._made[self._place])
