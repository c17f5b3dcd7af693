"""Fixes of copies that ask L2 for what their form cannot ask."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from workbench.core.data_files import find_data
from workbench.core.diagnostics import Diagnostic, Fix
from workbench.core.doctor.edits import drop_keyword
from workbench.core.doctor.findings import fix
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import (
    calls_in,
    language,
    lines_after,
    lines_before,
    statements_at,
)
from workbench.core.doctor.module import Module

_IMPORTING = re.compile(r"\bimport_source\b|\bBULK_COPY\b")
_COPIES = ("tma_copy", "copy")
_ASKED = "eviction_policy"


def without_policy(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The copy as it is without what it asks of L2: its result is the same."""
    module, line = situation.module, diagnostic.range.line if diagnostic.range is not None else 0
    for statement in statements_at(module, line)[:1]:
        for call in calls_in(module, statement, *_COPIES):
            edit = drop_keyword(module, call, _ASKED)
            if edit is not None and call.lineno <= line <= (call.end_lineno or 0):
                yield Fix(f"Copy without {_ASKED}", (edit,), True)
                return


def with_form(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The form that TileLang lacks, which the kernel then imports: the hint stays.

    A document that imports source already may have to put it among that, as its author knows best.
    """
    module, line = situation.module, diagnostic.range.line if diagnostic.range is not None else 0
    imports = [n for n in module.tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    around = [n for n in statements_at(module, line) if isinstance(n, ast.With)]
    launch = next((n for n in around if _launches(module, n)), None)
    if launch is None or not imports or _IMPORTING.search(module.text):
        return
    defined = lines_after(module, imports[-1], ["", *_form()])
    call = f"{language(module, launch)}.import_source(BULK_COPY)"
    imported = lines_before(module, launch.body[0], [call])
    yield from fix("Bring the copy with a hint by T.import_source", defined, imported)


def _launches(module: Module, node: ast.With) -> bool:
    calls = [each.context_expr for each in node.items]
    return any(isinstance(c, ast.Call) and module.names.last(c.func) == "Kernel" for c in calls)


def _form() -> list[str]:
    """The lines that bring the form, those of the pattern of norms."""
    path = find_data("resources") / "patterns" / "_bulk_copy.py.j2"
    return path.read_text(encoding="utf-8").splitlines()
