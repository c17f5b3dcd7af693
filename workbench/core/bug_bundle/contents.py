"""What a bundle holds, and the bundle as bytes: nothing in it is a person's own."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.core.bug_bundle.privacy import scrubbed
from workbench.core.bug_bundle.script import reproduction
from workbench.core.bug_bundle.suspicion import Suspicion
from workbench.core.diagnostic_json import diagnostic_to_json
from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import PassRecord
from workbench.core.targets.model import Target

# The same content gives the same bytes.
_DATE = (2020, 1, 1, 0, 0, 0)
_EMITTED = {
    "tir": "ir/tile.tir",
    "lowered": "ir/lowered.tir",
    "host": "ir/host.tir",
    "source": "generated.cu",
    "ptx": "kernel.ptx",
}
_ABOUT = {
    "README.md": "this file",
    "reproduce.py": "shows it: `python reproduce.py`",
    "kernel.py": "the kernel's document as it was",
    "error.txt": "what the tool said",
    "findings.json": "what was found, with lines",
    "versions.json": "versions, target, device and arguments",
    "ir/tile.tir": "the tile program",
    "ir/lowered.tir": "the lowered code of the device",
    "ir/host.tir": "the lowered code of the host",
    "generated.cu": "the generated source",
    "kernel.ptx": "its PTX",
}


@dataclass(frozen=True)
class BundleFacts:
    """Everything that a bundle is made of.

    `args` are those that were asked for, `smallest` those that still show it. `passes` with
    `blobs` are what every compiler pass made; `modules` are the files that the kernel imports from
    beside it, by name. `places` maps paths and names of the person to what stands in their place.
    """

    suspicion: Suspicion
    text: str
    kernel: str
    args: Mapping[str, Any]
    smallest: Mapping[str, Any]
    target: Target
    versions: Mapping[str, str] = field(default_factory=dict)
    device: str | None = None
    simulated: str = "not run"
    emitted: Mapping[str, str] = field(default_factory=dict)
    passes: Sequence[PassRecord] = ()
    blobs: Sequence[bytes] = ()
    raw: str | None = None
    diagnostics: Sequence[Diagnostic] = ()
    modules: Mapping[str, str] = field(default_factory=dict)
    reference: str | None = None
    tolerances: tuple[float, float] = (1e-2, 1e-2)
    places: Mapping[str, str] = field(default_factory=dict)


def bundle_files(facts: BundleFacts) -> dict[str, str]:
    """The texts of a bundle by their names, README first."""
    files = {
        "reproduce.py": reproduction(
            facts.suspicion,
            facts.kernel,
            facts.smallest,
            facts.target.lowering,
            facts.reference,
            facts.tolerances,
        ),
        "kernel.py": facts.text,
        **facts.modules,
        "error.txt": facts.raw or "",
        "findings.json": _json([diagnostic_to_json(d) for d in facts.diagnostics]),
        "versions.json": _json(_environment(facts)),
        **_pass_files(facts),
        **{_EMITTED[name]: text for name, text in facts.emitted.items() if name in _EMITTED},
    }
    files = {name: text for name, text in files.items() if text}
    files = {"README.md": _readme(facts, files), **files}
    return {name: scrubbed(text, facts.places) for name, text in files.items()}


def zipped(files: Mapping[str, str]) -> bytes:
    """The files as a zip archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name, _DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, text.encode("utf-8", "surrogatepass"))
    return buffer.getvalue()


def _pass_files(facts: BundleFacts) -> dict[str, str]:
    """What changed the program, pass by pass; for one that failed what it was given."""
    files = {}
    if facts.passes and "tir" not in facts.emitted and facts.blobs:
        first = facts.blobs[facts.passes[0].before_blob]
        files[_EMITTED["tir"]] = first.decode("utf-8", "replace")
    for record in facts.passes:
        failed = record.text_blob is None
        blob = record.before_blob if record.text_blob is None else record.text_blob
        if (record.changed or failed) and blob < len(facts.blobs):
            plain = "".join(c if c.isalnum() or c in "._-" else "-" for c in record.name)
            name = f"{record.index:03d}-{plain}{'-FAILED-on-this' if failed else ''}"
            files[f"ir/passes/{name}.tir"] = facts.blobs[blob].decode("utf-8", "replace")
    return files


def _environment(facts: BundleFacts) -> dict[str, Any]:
    return {
        "kernel": facts.kernel,
        "args": dict(facts.args),
        "smallest_args": dict(facts.smallest),
        "target": facts.target.name,
        "lowering": facts.target.lowering,
        "device": facts.device,
        "simulator": facts.simulated,
        "versions": dict(facts.versions),
    }


def _readme(facts: BundleFacts, files: Mapping[str, str]) -> str:
    suspicion = facts.suspicion
    sure = "strong" if suspicion.strong else "possible: no reference says that the kernel is right"
    where = f"Line {suspicion.line} of `kernel.py`.\n\n" if suspicion.line is not None else ""
    passes = sum(name.startswith("ir/passes/") for name in files)
    listed = [f"- `{name}`: {_ABOUT.get(name, 'a module that the kernel imports')}"
              for name in ("README.md", *files) if not name.startswith("ir/passes/")]  # fmt: skip
    if passes:
        listed.append(f"- `ir/passes/`: the program after each of {passes} passes that changed it")
    versions = ", ".join(f"{name} {version}" for name, version in facts.versions.items())
    return "\n".join(
        [
            f"# {suspicion.title}",
            "",
            suspicion.sentence,
            "",
            f"{where}Suspicion: {sure}. Simulator against reference: {facts.simulated}.",
            "",
            "## Steps to reproduce",
            "",
            "    pip install tilelang torch",
            "    python reproduce.py",
            "",
            f"Kernel `{facts.kernel}`, target `{facts.target.name}`, arguments:",
            "",
            f"    {json.dumps(dict(facts.smallest))}",
            "",
            *_reduced(facts),
            "## Environment",
            "",
            f"{versions or 'unknown'}. Device: {facts.device or 'none; it was not run on one'}.",
            "",
            "## Files",
            "",
            *listed,
            "",
        ]
    )


def _reduced(facts: BundleFacts) -> list[str]:
    if dict(facts.args) == dict(facts.smallest):
        return []
    return ["It was found with", "", f"    {json.dumps(dict(facts.args))}", ""]


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)
