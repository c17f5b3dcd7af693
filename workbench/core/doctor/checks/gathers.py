"""Checks of tiles that the copy engine gathers from an image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.core.doctor.facts import KernelFacts, Operation
from workbench.core.doctor.findings import Finding, named
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import buffer_of
from workbench.core.targets.model import Feature

_NAMES = ("kernel", "stride", "dilation", "pad")
_FIRST = 4  # T.im2col(img, col, nhw_step, c_step, kernel, stride, dilation, pad)

_WRONG = {True: "pixels that are none of the output's", False: "too few pixels of each row"}


def im2col_bounds(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Gathers by TMA whose rows of pixels end elsewhere than TileLang tells the copy engine.

    `Im2Col::Lower` of TileLang 0.1.15 gives -pad for both corners of the box that TMA walks in, and
    cuTensorMapEncodeIm2col wants pad - dilation * (kernel - 1) for the upper one.
    """
    targets = [t for t in facts.on_gpu() if t.arch.has(Feature.WGMMA)]
    for gather in facts.named("im2col", "c2d_im2col"):
        numbers = [gather.operand(_FIRST + n, name) for n, name in enumerate(_NAMES)]
        if not targets or any(type(n) is not int for n in numbers):
            continue
        kernel, stride, dilation, pad = numbers
        span = dilation * (kernel - 1)
        if 2 * pad == span or _stays_in_rows(gather, stride, 2 * pad - span):
            continue
        keeping = f"pad={span // 2}" if span % 2 == 0 else "an odd number of taps"
        message = (
            f"TileLang has TMA walk each row of pixels as if the image kept its size, which takes "
            f"{keeping} with {kernel} taps, not pad={pad}: a tile that goes on in the next row "
            f"gets {_WRONG[2 * pad < span]}. Copy by T.Parallel under conditions, or pad the image "
            f"itself and take {keeping}."
        )
        evidence = {"upper_corner": -pad, "right": pad - span}
        yield Finding(gather.node, message, (), named(targets, facts.targets), evidence=evidence)


def _stays_in_rows(gather: Operation, stride: int, growth: int) -> bool:
    """Whether no tile goes on in another row: its pixels divide a row of the output."""
    image, tile = buffer_of(gather.operand(0, "img")), buffer_of(gather.operand(1, "col"))
    sizes: Any = image.sizes if image is not None else None
    wide = tile.sizes if tile is not None else None
    if sizes is None or wide is None or len(sizes) != 4 or len(wide) < 2 or stride < 1:
        return False
    columns = (sizes[2] + growth - 1) // stride + 1
    return bool(columns > 0 and columns % wide[-2] == 0)
