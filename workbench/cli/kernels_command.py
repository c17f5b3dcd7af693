"""`kernels`: what kernel documents hold, read without running them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from workbench.cli.command import Command, add_json_option, open_document
from workbench.cli.output import diagnostic_json, print_diagnostics, print_json, print_table
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.documents.listing import kernel_listing
from workbench.core.documents.model import Document

SCHEMA = 1


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="kernel documents, or folders of them"
    )
    add_json_option(parser)


def _run(options: argparse.Namespace) -> int:
    documents = [open_document(path) for path in _files(options.paths)]
    if options.json:
        print_json(_listing(documents))
    else:
        _print(documents)
    at_fault = any(True for document in documents for _ in document.errors)
    return ExitStatus.FAULT if at_fault else ExitStatus.GOOD


def _files(paths: list[Path]) -> list[Path]:
    """The files named, and in folders those Python files that hold TileLang code."""
    files: list[Path] = []
    for path in paths:
        found = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        files += [f for f in found if f == path or _may_hold_kernels(f)]
    if not files:
        raise UsageError(f"no kernel documents in {', '.join(map(str, paths))}")
    return files


def _may_hold_kernels(path: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.parts if part not in (".", ".."))
    return not hidden and path.is_file() and b"tilelang" in path.read_bytes()


def _listing(documents: list[Document]) -> dict[str, Any]:
    diagnostics = [
        {"file": str(document.path), **diagnostic_json(d)}
        for document in documents
        for d in document.diagnostics
    ]
    kernels = [entry for d in documents for entry in kernel_listing(d)["kernels"]]
    return {"schema": SCHEMA, "kernels": kernels, "diagnostics": diagnostics}


def _print(documents: list[Document]) -> None:
    rows = [_row(entry) for d in documents for entry in kernel_listing(d)["kernels"]]
    if rows:
        print_table(("file", "kernel", "style", "cases", "parameters"), rows)
    for document in documents:
        print_diagnostics(str(document.path), document.diagnostics)


def _row(entry: dict[str, Any]) -> tuple[str, ...]:
    parameters = " ".join(
        p["name"] if p["required"] else f"{p['name']}={p['default_text']}"
        for p in entry["parameters"]
    )
    cases = " ".join(case["name"] for case in entry["cases"]) or "-"
    place = f"{entry['file']}:{entry['line']}"
    return place, entry["kernel"], entry["style"], cases, parameters


COMMAND = Command(
    "kernels",
    "List kernels, cases and parameters.",
    _add_arguments,
    _run,
    {"kernels": [], "diagnostics": []},
)
