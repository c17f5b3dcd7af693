"""The im2col gather: a tile of the matrix whose rows are output pixels and columns filter taps."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.simulator.regions import emit_store, loaded, region_of, squeezed_tile, tile
from workbench.engine.simulator.registry import helper, operation
from workbench.engine.simulator.translator import Translator

Array = np.ndarray[Any, Any]


@operation("tl.tileop.im2col")
def _im2col(t: Translator, node: Any) -> None:
    """The arguments: image, tile, row step, column step, kernel, stride, dilation, padding."""
    image = tile(t, region_of(t, node.args[0]), reads=True)
    target = squeezed_tile(t, region_of(t, node.args[1]), writes=True)
    numbers = ", ".join(t.scalar(each) for each in list(node.args)[2:8])
    emit_store(t, target, f"im2col({loaded(t, image)}, {target.shape}, {numbers})")


@helper
def im2col(
    image: Array,
    shape: tuple[int, int],
    row_step: int,
    column_step: int,
    kernel: int,
    stride: int,
    dilation: int,
    padding: int,
) -> Array:
    """Gather from an NHWC image; columns run over (kernel row, kernel column, channel)."""
    batch, height, width, channels = image.shape
    span = dilation * (kernel - 1) + 1
    out_height = (height + 2 * padding - span) // stride + 1
    out_width = (width + 2 * padding - span) // stride + 1
    row = (row_step * shape[0] + np.arange(shape[0]))[:, None]
    column = (column_step * shape[1] + np.arange(shape[1]))[None, :]
    tap, channel = column // channels, column % channels
    n = row // (out_height * out_width)
    y = row // out_width % out_height * stride - padding + tap // kernel * dilation
    x = row % out_width * stride - padding + tap % kernel * dilation
    inside = (n < batch) & (y >= 0) & (y < height) & (x >= 0) & (x < width)
    inside = inside & (tap < kernel * kernel)
    taken = image[
        np.minimum(n, batch - 1), np.clip(y, 0, height - 1), np.clip(x, 0, width - 1), channel
    ]
    return np.where(inside, taken, np.zeros((), image.dtype))
