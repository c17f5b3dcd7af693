"""The JSON of what a document holds, as the `kernels` command prints it."""

from __future__ import annotations

import math
from typing import Any

from workbench.core.documents.model import Case, Document, Kernel, Parameter
from workbench.core.documents.selection import cases_of

SCHEMA = 1


def kernel_listing(document: Document) -> dict[str, Any]:
    """`{"schema": 1, "kernels": [...]}` with the kernels of one file.

    A parameter's `default` is null where it has none or the source does not tell its value;
    `default_text` is null only where it has none.
    """
    kernels = [_kernel_entry(document, kernel) for kernel in document.kernels]
    return {"schema": SCHEMA, "kernels": kernels}


def _kernel_entry(document: Document, kernel: Kernel) -> dict[str, Any]:
    return {
        "file": str(document.path) if document.path is not None else None,
        "kernel": kernel.name,
        "line": kernel.line,
        "end_line": kernel.end_line,
        "style": kernel.style.value,
        "autotuned": kernel.autotuned,
        "parameters": [_parameter_entry(parameter) for parameter in kernel.parameters],
        "inputs": [parameter.name for parameter in kernel.inputs],
        "reference": kernel.reference,
        "cases": [_case_entry(case) for case in cases_of(document, kernel)],
    }


def _parameter_entry(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "default": json_value(parameter.default),
        "default_text": parameter.default_text,
        "required": not parameter.has_default,
        "annotation": parameter.annotation,
    }


def _case_entry(case: Case) -> dict[str, Any]:
    return {
        "name": case.name,
        "args": json_value(case.args),
        "targets": list(case.targets),
        "dims": dict(case.dims),
        "rtol": json_value(case.rtol),
        "atol": json_value(case.atol),
        "seed": case.seed,
        "flops": case.flops,
        "baseline": case.baseline,
        "line": case.line,
    }


def json_value(value: Any) -> Any:
    """A literal or TOML value as JSON has it: tuples as lists, what JSON lacks as text."""
    if isinstance(value, dict):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return str(value)
