"""Where a macro is called from: what is wrong inside it concerns those places too."""

from __future__ import annotations

import ast

from workbench.core.diagnostics import Related
from workbench.core.doctor.module import Module

_MOST = 4


def call_sites(module: Module, line: int) -> tuple[Related, ...]:
    """The calls of the macro that a line lies in, the first few; none outside of macros."""
    macro = _macro_at(module, line)
    if macro is None:
        return ()
    calls = [
        call
        for call in module.calls
        if isinstance(call.func, ast.Name)
        and call.func.id == macro.name
        and not macro.lineno <= call.lineno <= (macro.end_lineno or macro.lineno)
    ]
    calls.sort(key=lambda call: (call.lineno, call.col_offset))
    return tuple(
        Related(module.range_of(call), f"{macro.name} is called here") for call in calls[:_MOST]
    )


def _macro_at(module: Module, line: int) -> ast.FunctionDef | None:
    """The innermost macro around a line."""
    found = [
        function
        for function in module.functions
        if function.lineno <= line <= (function.end_lineno or 0)
        and any(module.names.last(node) == "macro" for node in function.decorator_list)
    ]
    return max(found, key=lambda function: function.lineno, default=None)
