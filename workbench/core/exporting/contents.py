"""The files of an export, as bytes by their names."""

from __future__ import annotations

from workbench.core.exporting.facts import EXAMPLE, LAUNCH, README, REFERENCE, ExportFacts
from workbench.core.exporting.launch_json import launch_json
from workbench.core.exporting.readme import readme
from workbench.core.exporting.reference_source import reference_source
from workbench.core.exporting.scripts import launch_example, pytest_file

_TEXTS = {"ptx": "kernel.ptx", "sass": "kernel.sass"}


def export_files(facts: ExportFacts) -> dict[str, bytes]:
    """Everything that the folder holds, README first."""
    named: dict[str, str] = {"document": facts.document_file}
    texts: dict[str, str] = {**facts.result.modules, facts.document_file: facts.text}
    for kind, text in facts.result.texts.items():
        named[kind] = _TEXTS.get(kind, facts.source_file)
        texts[named[kind]] = text
    if facts.cubin is not None:
        named["cubin"] = "kernel.cubin"
    alone = reference_source(facts.text, _functions(facts))
    if alone:
        about = f'"""Functions of {facts.document_file} that need no kernel."""\n\n'
        gap = "" if alone.startswith(("import ", "from ")) else "\n"
        named["reference"], texts[REFERENCE] = REFERENCE, f"{about}{gap}{alone}"
    if facts.has_example:
        named["example"], texts[EXAMPLE] = EXAMPLE, launch_example()
    named["test"], texts[facts.test_file] = facts.test_file, pytest_file(facts)
    texts[LAUNCH] = launch_json(facts, named)
    files = {name: text.encode("utf-8") for name, text in texts.items()}
    if facts.cubin is not None:
        files["kernel.cubin"] = facts.cubin
    return {README: readme(facts, named).encode("utf-8"), **files}


def _functions(facts: ExportFacts) -> tuple[str, ...]:
    return tuple(name for name in (facts.reference, facts.make_inputs) if name is not None)
