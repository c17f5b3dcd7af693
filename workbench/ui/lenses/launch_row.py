"""The launches of a document that has several, one of which is shown in all lenses."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.session.lenses.subject import LensTarget
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch


class LaunchRow(QWidget):
    """Chooses among the kernels that one function launches; hidden where it launches one."""

    #: The number of a launch, from 0.
    chosen = Signal(int)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._segments: tuple[Segment, ...] = ()
        self._switch: SegmentedSwitch | None = None
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self.hide()

    @property
    def switch(self) -> SegmentedSwitch | None:
        """The choice, None where there is none."""
        return self._switch

    def set_launches(self, target: LensTarget | None) -> None:
        """Offer the launches of a target, with the one shown pressed."""
        kernels = target.analysis.kernels if target is not None and target.analysis else ()
        segments = tuple(_segment(n, each) for n, each in enumerate(kernels))
        segments = segments if len(segments) > 1 else ()
        if segments != self._segments:
            self._segments = segments
            self._build()
        if self._switch is not None and target is not None:
            self._switch.set_current(str(target.shown_launch))
        self.setVisible(bool(segments))

    def _build(self) -> None:
        layout = self.layout()
        assert layout is not None
        if self._switch is not None:
            layout.removeWidget(self._switch)
            self._switch.deleteLater()
            self._switch = None
        if self._segments:
            self._switch = SegmentedSwitch(self._icons, "Launch", self._segments)
            self._switch.chosen.connect(lambda key: self.chosen.emit(int(key)))
            layout.addWidget(self._switch)


def _segment(number: int, kernel: KernelAnalysis) -> Segment:
    line = kernel.tiles.line if kernel.tiles is not None else None
    where = f", launched in line {line}" if line is not None else ""
    return Segment(str(number), f"Launch {number + 1}", f"{kernel.name}{where}")
