"""The pictures of the examples, each a statement of how the kernel goes about its work."""

from __future__ import annotations

import math

from workbench.ui.welcome.canvas import HEIGHT, WIDTH, Canvas

_CELL, _GAP = 11.0, 2.5
_STEP = _CELL + _GAP


def paint_gemm(canvas: Canvas) -> None:
    """A row of A's tiles and a column of B's, the later the brighter, make one tile of C."""
    left_a, left_c = 6.0, 88.0
    top_b, top_c = 4.0, 50.0
    row, column = 2, 5
    canvas.grid(left_a, top_c, 4, 5, _CELL, _GAP)
    canvas.grid(left_c, top_b, 8, 3, _CELL, _GAP)
    canvas.grid(left_c, top_c, 8, 5, _CELL, _GAP)
    for step in range(4):
        share = 0.4 + 0.6 * step / 3
        x, y = left_a + step * _STEP, top_c + row * _STEP
        canvas.cell(x, y, _CELL, _CELL, "hbm", share)
    for step in range(3):
        share = 0.45 + 0.55 * step / 2
        x, y = left_c + column * _STEP, top_b + step * _STEP
        canvas.cell(x, y, _CELL, _CELL, "hbm", share)
    canvas.cell(left_c + column * _STEP, top_c + row * _STEP, _CELL, _CELL, "shared")
    canvas.text(left_a + 2 * _STEP - 1, 126, "A")
    canvas.text(left_c - 10, top_b + 1.4 * _STEP, "B")
    canvas.text(left_c + 4 * _STEP, 126, "C")


def paint_softmax(canvas: Canvas) -> None:
    """A row as bars under the line of its maximum, to which all are relative."""
    heights = [_peak(at / 34) for at in range(35)]
    width, floor, top = 3.8, 114.0, 24.0
    step = (WIDTH - 8) / len(heights)
    best = max(range(len(heights)), key=lambda at: heights[at])
    canvas.line(4, top, WIDTH - 4, top, "registers", dashed=True)
    for at, height in enumerate(heights):
        tall = height / heights[best] * (floor - top)
        is_best = at == best
        alpha = 1.0 if is_best else 0.4 + 0.5 * height / heights[best]
        token = "registers" if is_best else "shared"
        canvas.cell(4 + at * step, floor - tall, width, tall, token, alpha)
    canvas.text(WIDTH - 4, 12, "row maximum", "registers", "end")
    canvas.text(4, 126, "exp(x − max) ÷ sum", align="start")


def paint_rms_norm(canvas: Canvas) -> None:
    """Values of any size on the left become values of one size on the right."""
    values = [math.sin(2.1 * at) * (0.35 + 0.65 * abs(math.cos(0.9 * at))) for at in range(13)]
    rms = math.sqrt(sum(value**2 for value in values) / len(values))
    middle = 62.0
    _signed_bars(canvas, 8, middle, [54 * value for value in values], "hbm")
    _signed_bars(canvas, 116, middle, [22 * value / rms for value in values], "shared")
    for sign in (-1, 1):
        canvas.line(113, middle + 22 * sign, 194, middle + 22 * sign, "registers", dashed=True)
    canvas.arrow(88, middle, 106, "fg3")
    canvas.text(44, 126, "x")
    canvas.text(153, 126, "x ÷ rms(x) · w")
    canvas.text(194, middle - 42, "1", "registers", "end")


def paint_elementwise(canvas: Canvas) -> None:
    """Two tensors and their sum; the last row and column of tiles are cut by the edge."""
    for left, name, token in ((1, "A", "hbm"), (72, "B", "hbm"), (143, "C", "shared")):
        _cut_grid(canvas, left, 28, token)
        canvas.text(left + 28, 126, name)
    canvas.text(65, 64, "+", "fg2")
    canvas.text(136, 64, "=", "fg2")
    canvas.text(1, 12, "no tile divides the shape", align="start")


def paint_gemm_cpu(canvas: Canvas) -> None:
    """One element of A times a row of B is added to a row of C: walked along, so vectorised."""
    left_a, left_b = 6.0, 88.0
    top_b, top_c = 4.0, 68.0
    columns, rows = 8, 4
    canvas.grid(left_a, top_c, 4, rows, _CELL, _GAP)
    canvas.grid(left_b, top_b, columns, rows, _CELL, _GAP)
    canvas.grid(left_b, top_c, columns, rows, _CELL, _GAP)
    canvas.cell(left_a + 2 * _STEP, top_c + _STEP, _CELL, _CELL, "registers")
    for at in range(columns):
        canvas.cell(left_b + at * _STEP, top_b + 2 * _STEP, _CELL, _CELL, "hbm", 0.85)
        canvas.cell(left_b + at * _STEP, top_c + _STEP, _CELL, _CELL, "shared", 0.9)
    width = columns * _STEP - _GAP
    canvas.frame(left_b - 2.5, top_b + 2 * _STEP - 2.5, width + 5, _CELL + 5, "fg")
    canvas.frame(left_b - 2.5, top_c + _STEP - 2.5, width + 5, _CELL + 5, "fg")
    canvas.text(left_a, 18, "C[i] +=", align="start")
    canvas.text(left_a, 36, "A[i,k] B[k]", align="start")
    canvas.text(left_a + 2 * _STEP - 1, HEIGHT - 4, "A")
    canvas.text(left_b + 4 * _STEP, HEIGHT - 4, "C")
    canvas.text(left_b - 10, top_b + 5, "B")


def _peak(share: float) -> float:
    """A bell with ripples beside it, 0 to about 1."""
    bell = math.exp(-(((share - 0.55) / 0.17) ** 2))
    return 0.06 + 0.05 * abs(math.sin(17 * share)) + 0.9 * bell


def _signed_bars(
    canvas: Canvas, left: float, middle: float, values: list[float], token: str
) -> None:
    for at, value in enumerate(values):
        top = middle - max(value, 0)
        alpha = 0.45 + 0.5 * min(1.0, abs(value) / 40)
        canvas.cell(left + at * 5.6, top, 3.8, max(1.0, abs(value)), token, alpha)
    canvas.line(left - 3, middle, left + len(values) * 5.6, middle, "line2")


def _cut_grid(canvas: Canvas, left: float, top: float, token: str) -> None:
    """Four by five tiles; of the last ones only a part lies in the tensor."""
    size, gap, rows, columns = 12.5, 2.5, 5, 4
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * (size + gap), top + row * (size + gap)
            width = size * (0.4 if column == columns - 1 else 1.0)
            height = size * (0.55 if row == rows - 1 else 1.0)
            inside = row < rows - 1 and column < columns - 1
            if not inside:
                canvas.hatch(x, y, size, size, "fg4", 0.6)
            canvas.cell(x, y, width, height, token, 0.75 if inside else 1.0)
