"""Builds a worker's requests from a document, a selection and a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.core.documents.model import Document
from workbench.core.documents.selection import Selection
from workbench.core.jobs import (
    AnalyzeRequest,
    CompileRequest,
    KernelChoice,
    Source,
    VerifyRequest,
)
from workbench.core.profiles import Ceilings, ProfileRequest
from workbench.core.targets.model import Target
from workbench.core.targets.table import TargetTable
from workbench.core.user_folders import user_data_folder

DEFAULT_TARGET = "h100"


@dataclass(frozen=True)
class Item:
    """One thing to do: a selection of a document on one target."""

    document: Document
    selection: Selection
    target: Target


def plan(
    document: Document,
    selections: Sequence[Selection],
    targets: Sequence[str],
    table: TargetTable,
    fallback: Sequence[str] = (DEFAULT_TARGET,),
) -> tuple[Item, ...]:
    """One item for each selection and target, in that order.

    Without `targets`, those of the case, else the fallback. Raises targets.table.TargetError.
    """
    items = [
        Item(document, selection, table.resolve(name))
        for selection in selections
        for name in targets or selection.case.targets or fallback
    ]
    unique = {(id(item.selection), item.target.name): item for item in items}
    return tuple(unique.values())


def source_of(document: Document, workspace: Path, trusted: bool) -> Source:
    """The document's text for a worker; `trusted` is the person's word that it may run."""
    # A document without a file gets a folder of its own, so that it imports nobody's modules.
    path = document.path or user_data_folder() / "untitled" / "document.py"
    return Source(str(path.absolute()), document.text, str(workspace), trusted)


def choice_of(selection: Selection) -> KernelChoice:
    """The kernel and arguments of a selection."""
    kernel = selection.kernel
    return KernelChoice(kernel.name, kernel.style.value, selection.args, kernel.line)


def compile_request(
    item: Item, source: Source, emit: Sequence[str] = (), machine_code: bool = False
) -> CompileRequest:
    """A request to lower one item."""
    choice = choice_of(item.selection)
    return CompileRequest(source, choice, item.target.to_json(), tuple(emit), machine_code)


def analyze_request(
    item: Item, source: Source, level: int = 2, carveout_bytes: int | None = None
) -> AnalyzeRequest:
    """A request to analyze one item; `carveout_bytes` is the driver's choice where it is known."""
    choice = choice_of(item.selection)
    return AnalyzeRequest(source, choice, item.target.to_json(), level, carveout_bytes)


def verify_request(
    item: Item,
    source: Source,
    on: str,
    seeds: Sequence[int],
    details: bool = False,
    sample: int | None = None,
    checks: bool = True,
    three_way: bool = False,
) -> VerifyRequest:
    """A request to run one item with each seed and compare it with its reference.

    `details` asks for what a picture of the outputs needs; `sample` runs so many blocks only;
    without `checks` the simulator does not look at what the kernel does on the way. On a device,
    `three_way` has the simulator run the same inputs too.
    """
    case = item.selection.case
    return VerifyRequest(
        source=source,
        kernel=choice_of(item.selection),
        target=item.target.to_json(),
        reference=item.selection.reference,
        on=on,
        seeds=tuple(seeds),
        dims=dict(case.dims),
        rtol=case.rtol,
        atol=case.atol,
        details=details,
        sample=sample,
        checks=checks,
        three_way=three_way,
    )


def profile_request(
    item: Item,
    source: Source,
    *,
    counters: bool = False,
    full: bool = False,
    lines: bool = False,
    cache: str = "cold",
    ceilings: Ceilings | None = None,
    device: int = 0,
) -> ProfileRequest:
    """A request to time one item on a GPU beside its baseline, which is else its reference.

    `counters` has them read too, with `full` all that are known, with `lines` for each line;
    `ceilings` are those known of the device, which is the one of that number.
    """
    case = item.selection.case
    return ProfileRequest(
        source=source,
        kernel=choice_of(item.selection),
        target=item.target.to_json(),
        reference=item.selection.reference,
        baseline=case.baseline or item.selection.reference,
        dims=dict(case.dims),
        seed=case.seed,
        rtol=case.rtol,
        atol=case.atol,
        device=device,
        cache=cache,
        counters=counters,
        counter_set="full" if full else "basic",
        lines=lines,
        ceilings=ceilings,
        flops=case.flops,
    )
