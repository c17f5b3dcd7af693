"""The README of an export: what each file is, and how to run them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from workbench.core.exporting.facts import LAUNCH, ExportFacts

_ABOUT = {
    "document": "the kernel's document as it was exported",
    "source": "the source that TileLang generated",
    "ptx": "its PTX",
    "cubin": "its machine code, as TileLang's own runtime makes it",
    "sass": "the machine code disassembled",
    "reference": "the document's reference and inputs without its kernel",
    "example": "launches the machine code through the CUDA driver API and compares",
    "test": "verifies the kernel with pytest, built by TileLang for the machine at hand",
}


def readme(facts: ExportFacts, named: Mapping[str, str]) -> str:
    """The text; `named` are the names of the files by what they hold."""
    target = facts.target
    listed = [f"- `{name}`: {_ABOUT[kind]}" for kind, name in named.items()]
    listed += [f"- `{name}`: a module that the document imports" for name in facts.result.modules]
    rows = [
        f"# {facts.kernel}",
        "",
        f"Kernel `{facts.kernel}` of `{facts.document_file}`, case `{facts.selection.case.name}`,"
        f" lowered for {target.title} (`{target.name}`) with the arguments",
        "",
        f"    {json.dumps(facts.selection.args, default=str)}",
        "",
        "## Files",
        "",
        *listed,
        f"- `{LAUNCH}`: entry names, grid, block, shared memory, parameters in order and tensor"
        " maps of every launch",
        "",
        "## Run",
        "",
        *_commands(facts),
        *_missing(facts),
        "## Versions",
        "",
        ", ".join(f"{name} {version}" for name, version in facts.versions.items()) + ".",
        "",
    ]
    return "\n".join(rows)


def _commands(facts: ExportFacts) -> list[str]:
    where = "this machine's processor" if facts.on_cpu else "the GPU at hand"
    needs = [
        f"On {where}, with torch, tilelang and pytest:",
        "",
        f"    python -m pytest {facts.test_file}",
        "",
    ]
    if not facts.has_example:
        return needs
    code = facts.target.code_arch
    return [
        f"On a GPU that runs code for {code}, with torch alone:",
        "",
        "    python launch_example.py",
        "",
        *needs,
    ]


def _missing(facts: ExportFacts) -> list[str]:
    if not facts.result.missing:
        return []
    reasons: dict[str, list[str]] = {}
    for name, reason in facts.result.missing.items():
        reasons.setdefault(reason, []).append(name)
    rows = [f"- {', '.join(names)}: {reason}" for reason, names in reasons.items()]
    return ["## What is not here", "", *rows, ""]
