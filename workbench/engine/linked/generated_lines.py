"""The document's line of each line of the source that is generated of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.engine import lowering
from workbench.engine.analysis.copy_lines import copy_lines
from workbench.engine.analysis.source_lines import source_lines
from workbench.engine.analysis.tensor_maps import tensor_maps
from workbench.engine.kernels import BuiltKernel
from workbench.engine.linked.ir_text import is_bulk_copy, statement_lines
from workbench.engine.linked.machine_text import with_copies


@dataclass(frozen=True)
class GeneratedLines:
    """`lines` by line of the source, None where there is none; `statements` by device statement."""

    lines: dict[int, int | None]
    statements: dict[Any, int]


def generated_lines(
    built: BuiltKernel, artifact: Any, target: Any, document: str
) -> GeneratedLines:
    """The lines of what `lowering.lower_modules` made for a tvm Target."""
    module, source = artifact.device_mod, artifact.kernel_source
    copies, maps = copy_lines(built.func, document), tensor_maps(artifact.host_mod)
    statements: dict[Any, int] = {}
    for func in module.functions.values():
        statements |= statement_lines(func.body, document, copies, maps)
    bulk = [statements.get(node) for node in _bulk_copies(module)]
    lines = source_lines(module, target, lowering.pass_config(built), source, document)
    return GeneratedLines(with_copies(source, lines, bulk), statements)


def _bulk_copies(module: Any) -> list[Any]:
    from tvm import tirx

    found: list[Any] = []
    for func in module.functions.values():
        tirx.stmt_functor.post_order_visit(
            func.body, lambda node: found.append(node) if is_bulk_copy(node) else None
        )
    return found
