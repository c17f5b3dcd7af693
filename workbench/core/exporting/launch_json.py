"""The launch description as JSON, form 1; docs/export.md describes every field.

Form 1: the first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.core.exporting.cuda_names import cuda_name, named_fields
from workbench.core.exporting.facts import ExportFacts
from workbench.core.exporting.model import KernelLaunch, LaunchDescription, TensorMapRecord
from workbench.core.plain import to_plain

FORMAT, VERSION = "tilelang-workbench-launch", 1
# What a block may have without asking, static and dynamic together (CUDA C++ Programming Guide
# 13.0, Compute Capabilities: "kernels relying on shared memory allocations over 48 KB per block").
_SHARED_WITHOUT_ASKING = 48 * 1024


def launch_json(facts: ExportFacts, files: Mapping[str, str]) -> str:
    """The text of launch.json; `files` are the names of the others by what they hold."""
    return json.dumps(_described(facts, files), indent=2, ensure_ascii=False, default=str) + "\n"


def is_launch_json(text: str) -> bool:
    """Whether a text is a launch description, of whichever form."""
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("format") == FORMAT


def _described(facts: ExportFacts, files: Mapping[str, str]) -> dict[str, Any]:
    result, case, target = facts.result, facts.selection.case, facts.target
    launch = result.launch or LaunchDescription()
    static = result.resources.shared_static_bytes if result.resources is not None else None
    return {
        "format": FORMAT,
        "version": VERSION,
        "kernel": facts.kernel,
        "files": dict(files),
        "missing": dict(result.missing),
        "target": {
            "name": target.name,
            "title": target.title,
            "vendor": target.arch.vendor.value,
            "lowering": target.lowering,
            "code": target.code_arch if facts.cubin is not None else None,
        },
        "versions": dict(facts.versions),
        "compiler_options": list(result.compiler),
        "resources": to_plain(result.resources),
        "case": {
            "name": case.name,
            "args": facts.selection.args,
            "dims": case.dims,
            "seed": case.seed,
            "rtol": case.rtol,
            "atol": case.atol,
        },
        "reference": {"function": facts.reference, "make_inputs": facts.make_inputs},
        "parameters": to_plain(result.parameters),
        "outputs": to_plain(result.outputs),
        "dimensions": to_plain(launch.dimensions),
        "tensor_maps": [_map(each) for each in launch.tensor_maps],
        "launches": [_launch(each, static or 0) for each in launch.launches],
        "l2_windows": to_plain(launch.l2_windows),
    }


def _map(record: TensorMapRecord) -> dict[str, Any]:
    """The numbers, those of enumerations with their names; what the other mode has is left out."""
    names = {field: cuda_name(field, getattr(record, field)) for field in named_fields()}
    plain = {name: value for name, value in to_plain(record).items() if value is not None}
    return {**plain, "names": names}


def _launch(launch: KernelLaunch, static_bytes: int) -> dict[str, Any]:
    plain: dict[str, Any] = to_plain(launch)
    plain["arguments"] = [
        {name: value for name, value in each.items() if value is not None}
        for each in plain["arguments"]
    ]
    dynamic = launch.shared_dynamic_bytes
    asks = isinstance(dynamic, str) or dynamic + static_bytes > _SHARED_WITHOUT_ASKING
    return {**plain, "shared_opt_in": asks and dynamic != 0}
