"""Bulk copies of one run of bytes that ask something of L2: TileLang has no template for them.

A load that is one run in global memory as in shared memory, within its tensor's bounds, is lowered
without a tensor map (tilelang/src/cuda/op/copy_analysis.cc 0.1.15, CheckBulkCopy1D), and
`tl::tma_load` of a pointer takes no hint (tl_templates/cuda/copy_sm90.h). `tl::tma_store` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from workbench.core.diagnostics import Diagnostic
from workbench.core.figures import size
from workbench.engine.analysis.instructions import Instruction
from workbench.engine.doctor.needs import Needs, finding_of

CODE = "bulk-copy-hint"
_STAGE = "lower"
_HELP = (
    "Leave out eviction_policy; or copy a part of several rows, which goes through a tensor map "
    "and takes the hint; or bring the form that is missing with T.import_source, as the shipped "
    "rms_norm_rows.py does."
)
_OF_POINTERS = re.compile(
    r"template\s*<\s*CacheHintSm90\b[^>]*>\s*TL_DEVICE\s+void\s+tma_load\s*\(\s*(const\s+)?void\b"
)
_DEFINED = re.compile(r"(?<!::)\btma_load\s*\(")
# What TileLang itself or a kernel of plain CUDA includes; another header may bring the form.
_UNKNOWN_HEADER = re.compile(
    r"#\s*include\s*(?=[\"<])"
    r"(?!<(tl_templates/|cute/|cutlass/|cuda|curand|mma\.h|math_constants|cooperative_groups|std))"
)
_INCLUDING = ("-include", "--pre-include")


def missing_hints(needs: Needs) -> Iterator[Diagnostic]:
    """The copies that nvcc will refuse, one finding a line; none where it has compiled them."""
    asking = [each for each in needs.code.instructions if _asks(each)]
    if not asking or needs.is_compiled or _is_brought(needs):
        return
    told: set[int | None] = set()
    for each in asking:
        line = _line(each, needs)
        if line not in told:
            told.add(line)
            yield _missing(each, line, needs)


def _asks(each: Instruction) -> bool:
    found = each.found
    is_load = found.form == "tma" and found.text.startswith("TMA load")
    return is_load and found.linear and found.policy is not None


def _missing(each: Instruction, line: int | None, needs: Needs) -> Diagnostic:
    hint = f"EVICT_{(each.found.policy or '').removeprefix('evict_').upper()}"
    width = each.found.width_bytes
    run = f"one run of {size(width)}" if width is not None else "one run of bytes"
    names = {place.memory: f"`{place.name}`" for place in each.places}
    which = f"{names.get('global', 'a tensor')} to {names.get('shared', 'a tile')}"
    message = (
        f"The copy of {which} is {run}, and TileLang has no such copy with "
        f'eviction_policy="{each.found.policy}": its templates lack '
        f"tl::tma_load<CacheHintSm90::{hint}> of a pointer, so nvcc refuses the generated source."
    )
    found = finding_of(CODE, message, line, needs, _HELP)
    return replace(found, stage=_STAGE, evidence={"policy": each.found.policy})


def _line(each: Instruction, needs: Needs) -> int | None:
    """The line of the copy; bulk copies may have lost their own, or have that of what is around."""
    names = {place.name for place in each.places}
    copies = needs.program.of_kind("copy")
    lines = [op.line for op in copies if op.line is not None and set(op.tiles) <= names]
    return each.line if each.line in lines or not lines else lines[0]


def _is_brought(needs: Needs) -> bool:
    """Whether the form is there after all, or may be: then nvcc alone can tell."""
    brought = _DEFINED.search(needs.source) or _UNKNOWN_HEADER.search(needs.source)
    included = any(option.startswith(_INCLUDING) for option in needs.compiler_options)
    return bool(brought) or included or _has_template()


@lru_cache(maxsize=1)
def _has_template() -> bool:
    """Whether the installed TileLang has the form."""
    from tilelang.env import TILELANG_TEMPLATE_PATH

    header = Path(TILELANG_TEMPLATE_PATH, "tl_templates", "cuda", "copy_sm90.h")
    return _OF_POINTERS.search(header.read_text(encoding="utf-8")) is not None
