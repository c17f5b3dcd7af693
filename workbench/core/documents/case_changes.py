"""What was asked for beside a case: the arguments and sizes that are not the case's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.documents.model import Case, Document
from workbench.core.documents.selection import known_arguments
from workbench.core.plain import to_plain


def case_changes(
    document: Document,
    kernel_name: str,
    case_name: str,
    args: Mapping[str, Any],
    dims: Mapping[str, int] | None = None,
) -> dict[str, Any] | None:
    """The `args` and `dims` that a case of a document does not give, nor a default; in their order.

    None where the document has no such kernel or case. Values that were stored as JSON are equal to
    those that were not.
    """
    kernel, case = document.kernel(kernel_name), _case(document, case_name)
    if kernel is None or case is None:
        return None
    own = known_arguments(kernel, case, {})
    sizes = {name: size for name, size in (dims or {}).items() if case.dims.get(name) != size}
    changed = {name: value for name, value in args.items() if not _has(own, name, value)}
    return {**changed, **sizes}


def _case(document: Document, name: str) -> Case | None:
    cases = document.metadata.cases if document.metadata else ()
    if not cases and name == "default":
        return Case(name)
    return next((case for case in cases if case.name == name), None)


def _has(own: Mapping[str, Any], name: str, value: Any) -> bool:
    if name not in own:
        return False
    one, other = to_plain(own[name]), to_plain(value)
    return bool(one == other) or repr(one) == repr(other)  # nan is not equal to itself
