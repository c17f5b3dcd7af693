"""The document's line that each line of the generated source came from."""

from __future__ import annotations

import re
from typing import Any

import tvm
from tilelang import ir as tile_ir
from tilelang.backend.module import create_backend_context
from tilelang.engine.lower import device_codegen_without_compile

from workbench.engine.user_lines import is_document

_DIRECTIVE = re.compile(r'#line (\d+) "(.*)"')
_NOWHERE = "<no line>"


def source_lines(
    device_module: Any, target: Any, config: dict[str, Any], source: str, document: str
) -> dict[int, int | None]:
    """Line of the document by line of `source`, the code generated of `device_module`.

    The code is generated once more with line directives; empty where it is not the same code.
    Statements without a span are given one first, else they would be taken for the one before.
    """
    for func in device_module.functions.values():
        tile_ir.stamp_stmt_spans(func.body, tile_ir.make_span(_NOWHERE, 1))
    config = {**config, "tl.emit_line_directives": True}
    with tvm.transform.PassContext(opt_level=3, config=config), target:
        context = create_backend_context(target, None, "auto")
        directed = device_codegen_without_compile(device_module, context).inspect_source()
    lines = lines_of_directives(directed, document)
    return lines if len(lines) == len(source.splitlines()) else {}


def lines_of_directives(source: str, document: str) -> dict[int, int | None]:
    """Line of the document by line of the source without its directives."""
    found: dict[int, int | None] = {}
    current: int | None = None
    for text in source.splitlines():
        directive = _DIRECTIVE.match(text)
        if directive is None:
            found[len(found) + 1] = current
        elif is_document(directive[2], document):
            current = int(directive[1])
        else:
            current = None
    return found
