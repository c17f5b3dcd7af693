"""Every code that the program can give to a finding has a page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import workbench
from workbench.core.analysis.hazards import HazardKind
from workbench.core.reference.library import Library
from workbench.core.sanitizer_report import TOOLS
from workbench.core.verification.detectors import DETECTORS

ROOT = Path(workbench.__file__).parent
CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
# What makes findings; their code is one of its arguments.
_NAMES = "Diagnostic Finding _finding _at _told note _error _report Step DocumentFaultError"
MAKERS = frozenset(_NAMES.split())


@cache
def emitted() -> dict[str, str]:
    """Each code with a place that gives it."""
    found: dict[str, str] = {}
    for package in ("core", "engine", "session", "cli"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.name == "machine.py":  # its findings are about the machine, and have no code
                continue
            for code in codes_in(ast.parse(path.read_text(encoding="utf-8"))):
                found.setdefault(code, str(path.relative_to(ROOT)))
    return found


def codes_in(tree: ast.Module) -> Iterator[str]:
    nodes = list(ast.walk(tree))
    constants = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        given = [k.value for k in node.keywords if k.arg == "code"]
        given += node.args if name in MAKERS else []
        for value in given:
            yield from texts(value, constants)


def texts(node: ast.AST, constants: dict[str, ast.expr]) -> Iterator[str]:
    """The texts in an expression, also those of the names in it."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in constants:
            others = {name: value for name, value in constants.items() if name != part.id}
            yield from texts(constants[part.id], others)
        elif isinstance(part, ast.Constant) and CODE.fullmatch(str(part.value)):
            yield str(part.value)


def test_the_walk_finds_codes_of_each_kind() -> None:
    codes = emitted()
    expected = {
        "metadata-syntax",
        "build-error",
        "layout-conflict",
        "block-race",
        "epsilon-missing",
        "barrier-deadlock",
        "bank-conflict",
        "narrow-overflow",
        "arguments-missing",
    }
    assert expected <= codes.keys()


def test_every_code_has_a_page(library: Library) -> None:
    without = {code: place for code, place in emitted().items() if library.for_code(code) is None}
    assert not without


@pytest.mark.parametrize("kind", list(HazardKind))
def test_every_hazard_has_a_page(library: Library, kind: HazardKind) -> None:
    assert library.for_code(kind.value) is not None


@pytest.mark.parametrize("code", [detector.code for detector in DETECTORS])
def test_every_kind_of_wrong_result_has_a_page(library: Library, code: str) -> None:
    assert library.for_code(code) is not None


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_of_the_sanitizer_has_a_page(library: Library, tool: str) -> None:
    assert library.for_code(f"sanitizer-{tool}") is not None


@pytest.mark.parametrize(
    "kind", ["kernel", "environment", "timeout", "memory", "crash", "internal"]
)
def test_every_end_of_a_job_has_a_page(library: Library, kind: str) -> None:
    assert library.for_code(f"job-{kind}") is not None
