"""Fixes are made on the text, and leave nothing of what they are for."""

from __future__ import annotations

import ast

import pytest
from faulty_kernels import FAULTY

from workbench.core.doctor.fixing import fix_text, is_safe
from workbench.session.fixes import apply_fix

_TARGETS = ("a100",)


def _mended(linted, text):
    return fix_text(text, lambda t: linted(t, _TARGETS), apply_fix)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("never cleared (eager)", "        TL.clear(acc)\n        for ko in"),
        ("half accumulator (eager)", '(bm, bn), "float32")'),
        ("A stored transposed (factory)", "T.gemm(As, Bs, acc, transpose_A=True)"),
        ("output in the middle (factory)", "out_idx=[2])"),
        ("output beyond (factory)", "out_idx=[2])"),
        ("argument too many (factory)", "c = fn(a, b)"),
        ("64 rows on 16 warps (eager)", "bm: int = 16"),
        ("100 threads (factory)", "THREADS = 128"),
        ("48 threads (eager)", "threads=32)"),
        ("two depths", "num_stages=2)"),
    ],
)
def test_fix_writes_what_it_says(name, written, linted):
    mended, _ = _mended(linted, FAULTY[name])
    assert written in mended


@pytest.mark.parametrize("name", FAULTY)
def test_what_is_mended_is_python_and_has_no_safe_fix_left(name, linted):
    mended, applied = _mended(linted, FAULTY[name])
    ast.parse(mended)
    left = [d for d in linted(mended, _TARGETS) if is_safe(d)]
    assert len(left) <= len([d for d in linted(FAULTY[name], _TARGETS) if is_safe(d)])
    assert not (applied and left)


def test_deleted_line_takes_nothing_else_along(linted):
    text = FAULTY["scratch forgotten (eager)"]
    mended, _ = _mended(linted, text)
    lines = text.splitlines(keepends=True)
    assert mended == "".join(line for line in lines if "scratch" not in line)


def test_line_ends_are_those_of_the_document(linted):
    text = FAULTY["never cleared (eager)"].replace("\n", "\r\n")
    mended, applied = _mended(linted, text)
    assert applied
    assert "\n" not in mended.replace("\r\n", "")
