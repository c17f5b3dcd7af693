"""The empty scaffold, for what no pattern covers: tensors, grid, tiles and a loop, ready to run."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.patterns.common import (
    GPU,
    choice_field,
    dialect_rule,
    numbers,
    shared_rule,
    stages_field,
    threads_field,
    threads_rule,
    tolerance_fields,
    tolerances,
)
from workbench.core.patterns.model import (
    Advice,
    Field,
    Goal,
    Kind,
    Option,
    Pattern,
    Program,
    Rule,
    Setting,
    Step,
    Values,
    Why,
)
from workbench.core.patterns.tensor_specs import (
    SpecError,
    TensorSpec,
    read_names,
    read_sizes,
    read_tensors,
    unknown_extent,
)
from workbench.core.targets.model import Target

_BYTES = {"8": 1, "16": 2, "32": 4, "64": 8}
_MOST_GRID = 3
_INDICES = "ijkl"


def _text_field(name: str, title: str, text: str, default: str, step: Step) -> Field:
    return Field(name, Kind.TEXT, step, title, text, default)


_FIELDS = (
    _text_field("name", "Name", "What the kernel is called.", "kernel", Step.REQUIREMENTS),
    _text_field(
        "sizes", "Sizes", "The sizes that shapes are made of.", "M=1000, N=1024", Step.REQUIREMENTS
    ),
    _text_field(
        "inputs",
        "Inputs",
        "Tensors that are read: name, shape and format, with ; between them.",
        "A: (M, N) float16",
        Step.REQUIREMENTS,
    ),
    _text_field(
        "outputs", "Outputs", "Tensors that are written.", "C: (M, N) float16", Step.REQUIREMENTS
    ),
    choice_field(
        "out_idx",
        Step.REQUIREMENTS,
        "Outputs are",
        "Returned outputs are made by TileLang (out_idx); else the caller passes them.",
        "returned",
        Option("returned", "Returned"),
        Option("passed", "Passed by the caller"),
    ),
    _text_field(
        "grid", "Grid", "Sizes that are divided among blocks, up to three.", "M, N", Step.TILES
    ),
    Field(
        "block",
        Kind.INTEGER,
        Step.TILES,
        "Block",
        "Extent of a block's tile along each size of the grid.",
        64,
        numbers(16, 32, 64, 128),
        "elements",
        1,
        1024,
        power_of_two=True,
    ),
    choice_field(
        "memory",
        Step.TILES,
        "Tiles of inputs in",
        "Shared memory is seen by all threads of a block; a fragment lies in their registers.",
        "shared",
        Option("shared", "Shared memory"),
        Option("fragment", "Fragment"),
    ),
    threads_field(128),
    _text_field(
        "loop", "Loop over", "A size that each block walks along, or none.", "", Step.PIPELINE
    ),
    Field(
        "block_loop",
        Kind.INTEGER,
        Step.PIPELINE,
        "Step of the loop",
        "Extent of a tile along the loop.",
        32,
        numbers(16, 32, 64),
        "elements",
        1,
        1024,
        power_of_two=True,
    ),
    stages_field(2),
    *tolerance_fields(),
)


@dataclass(frozen=True)
class Parts:
    """The texts of the fields as read."""

    sizes: Mapping[str, int]
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    grid: tuple[str, ...]
    loop: str

    @property
    def looped(self) -> tuple[TensorSpec, ...]:
        """The inputs of which each turn of the loop loads a tile."""
        return tuple(t for t in self.inputs if self.loop and self.loop in t.extents)


def _parts(values: Values) -> Parts:
    return Parts(
        read_sizes(values["sizes"]),
        read_tensors(values["inputs"]),
        read_tensors(values["outputs"]),
        read_names(values["grid"]),
        values["loop"].strip(),
    )


def _readable(check: Callable[[Values, Parts], str | None]) -> Any:
    """A rule's function: what cannot be read breaks the first rule alone."""

    def broken(values: Values, target: Target) -> str | None:
        try:
            parts = _parts(values)
        except SpecError:
            return None
        return check(values, parts)

    return broken


def _unreadable(values: Values, target: Target) -> str | None:
    try:
        _parts(values)
    except SpecError as error:
        return f"{str(error)[0].upper()}{str(error)[1:]}."
    return None


def _names_broken(values: Values, parts: Parts) -> str | None:
    name = values["name"]
    if not name.isidentifier() or keyword.iskeyword(name):
        return f"{name!r} is no name that Python takes."
    unknown = unknown_extent((*parts.inputs, *parts.outputs), parts.sizes)
    if unknown is not None:
        return f"{unknown} is in a shape, but not among the sizes."
    names = [tensor.name for tensor in (*parts.inputs, *parts.outputs)]
    repeated = next((n for n in names if names.count(n) > 1 or n in parts.sizes), None)
    if repeated is not None:
        return f"{repeated} is the name of two things."
    extents = (extent for tensor in parts.outputs for extent in tensor.extents)
    lost = next((extent for extent in extents if _known_extent(extent, parts) is None), None)
    if lost is not None:
        return f"{lost} is an extent of no input, from which the reference would know it."
    return None if parts.outputs else "A kernel writes at least one tensor."


def _grid_broken(values: Values, parts: Parts) -> str | None:
    missing = next((name for name in parts.grid if name not in parts.sizes), None)
    if missing is not None:
        return f"{missing} is not among the sizes."
    if not 1 <= len(parts.grid) <= _MOST_GRID:
        return "A grid has one to three extents."
    for tensor in parts.outputs:
        left_out = next((name for name in parts.grid if name not in tensor.extents), None)
        if left_out is not None:
            return f"Blocks along {left_out} would all write the same part of {tensor.name}."
    return None


def _loop_broken(values: Values, parts: Parts) -> str | None:
    if not parts.loop:
        return None
    if parts.loop not in parts.sizes:
        return f"{parts.loop} is not among the sizes."
    if parts.loop in parts.grid:
        return f"{parts.loop} is divided among the blocks already."
    if any(parts.loop in tensor.extents for tensor in parts.outputs):
        return f"{parts.loop} is an extent of an output, which is written after the loop."
    return None


def _tile(tensor: TensorSpec, parts: Parts, values: Values) -> list[int]:
    return [_extent(extent, parts, values) for extent in tensor.extents]


def _extent(extent: str, parts: Parts, values: Values) -> int:
    if extent in parts.grid:
        return int(values["block"])
    if extent == parts.loop:
        return int(values["block_loop"])
    return int(extent) if extent.isdigit() else parts.sizes[extent]


def _shared_bytes(values: Values, target: Target) -> int:
    try:
        parts = _parts(values)
    except SpecError:
        return 0
    if values["memory"] != "shared" or unknown_extent(parts.inputs, parts.sizes):
        return 0
    stages = values["num_stages"]
    return sum(
        prod(_tile(t, parts, values))
        * _element_bytes(t.dtype)
        * (stages if t in parts.looped else 1)
        for t in parts.inputs
    )


def _element_bytes(dtype: str) -> int:
    return next((size for bits, size in _BYTES.items() if bits in dtype), 4)


_RULES = (
    dialect_rule((GPU,), "The scaffold is written for GPUs: threads and shared memory."),
    Rule("scaffold-text", "How it is written", (), _unreadable),
    Rule("scaffold-names", "Names", (), _readable(_names_broken)),
    Rule("scaffold-grid", "Grid", (), _readable(_grid_broken)),
    Rule("scaffold-loop", "Loop", (), _readable(_loop_broken)),
    threads_rule(),
    shared_rule(_shared_bytes, "block", "num_stages", "block_loop"),
)


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    warp = target.arch.limits.warp_size or 32
    return {
        "threads": Advice(4 * warp, "Four warps: one for each scheduler of a multiprocessor."),
        "num_stages": Advice(2, "One tile is worked on while the next is on its way."),
    }


def _program(values: Values, setting: Setting) -> Program:
    parts = _parts(values)
    names = ", ".join(tensor.name for tensor in parts.inputs)
    outputs = ", ".join(tensor.name for tensor in parts.outputs)
    sizes = ", ".join(str(size) for size in parts.sizes.values())
    returned = values["out_idx"] == "returned"
    passed = ", ".join(part for part in (names, outputs) if part)
    call = f"{outputs} = kernel({names})" if returned else f"kernel({passed})"
    shapes = ", ".join(f"{t.name}: {t.shape} {t.dtype}" for t in (*parts.inputs, *parts.outputs))
    return Program(
        values["name"],
        "scaffold.py.j2",
        _context(values, parts),
        "A kernel to fill in: it copies or clears its outputs until then.",
        (f"kernel = {values['name']}({sizes})", f"{call}  # {shapes}"),
        f"{values['threads']} threads a block.",
        f"{values['block']} along each of {', '.join(parts.grid)}, to begin with.",
        _cases(values, parts),
        (Why("Scaffold", "It runs and verifies as it is; each change can be checked from there."),),
    )


def _context(values: Values, parts: Parts) -> dict[str, Any]:
    outputs = parts.outputs
    count = len(outputs)
    indices = ", ".join(str(i) for i in range(-count, 0))
    letters = ("bx", "by", "bz")[: len(parts.grid)]
    # The last size of the grid runs fastest in memory, so its blocks are neighbours.
    blocks = dict(zip(reversed(parts.grid), letters, strict=True))
    looped = parts.looped
    return {
        "name": values["name"],
        "parameters": [*parts.sizes, *_knobs(values, parts)],
        "decorator": f"out_idx=[{indices}]" if values["out_idx"] == "returned" else "",
        "tensors": [(t.name, t.shape, t.dtype) for t in (*parts.inputs, *outputs)],
        "divided": parts.grid,
        "grid": ", ".join(f"tiles_{name}" for name in reversed(parts.grid)),
        "blocks": f"({', '.join(letters)})" if len(letters) > 1 else letters[0],
        "memory": values["memory"],
        "alloc": "T.alloc_shared" if values["memory"] == "shared" else "T.alloc_fragment",
        "before": [_tensor(t, parts, blocks) for t in parts.inputs if t not in looped],
        "inside": [_tensor(t, parts, blocks) for t in looped],
        "outputs": [_output(t, parts, blocks) for t in outputs],
        "loop": parts.loop,
        "inputs": ", ".join(t.name for t in parts.inputs),
        "all_inputs": [_tensor(t, parts, blocks) for t in parts.inputs],
        "reference": ", ".join(_reference(t, parts) for t in outputs),
        "needs_torch": any(_source(t, parts) is None for t in outputs)
        or any(_cast(t, parts) for t in outputs),
        "passes_outputs": values["out_idx"] != "returned",
    }


def _knobs(values: Values, parts: Parts) -> list[str]:
    knobs = [f"block={values['block']}"]
    if parts.loop:
        knobs += [f"block_loop={values['block_loop']}", f"num_stages={values['num_stages']}"]
    return [*knobs, f"threads={values['threads']}"]


def _tensor(tensor: TensorSpec, parts: Parts, blocks: Mapping[str, str]) -> dict[str, str]:
    """A tensor with the shape of its tile and the place of it, as source."""
    extents = [_block_name(extent, parts) for extent in tensor.extents]
    places = [_place(extent, parts, blocks) for extent in tensor.extents]
    tile = f"({', '.join(extents)},)" if len(extents) == 1 else f"({', '.join(extents)})"
    return {
        "name": tensor.name,
        "dtype": tensor.dtype,
        "tile": tile,
        "place": ", ".join(places),
        "extents": ", ".join(extents),
        "indices": ", ".join(_INDICES[: len(extents)]),
    }


def _block_name(extent: str, parts: Parts) -> str:
    return "block" if extent in parts.grid else "block_loop" if extent == parts.loop else extent


def _place(extent: str, parts: Parts, blocks: Mapping[str, str]) -> str:
    if extent in parts.grid:
        return f"{blocks[extent]} * block"
    return "step * block_loop" if extent == parts.loop else "0"


def _output(tensor: TensorSpec, parts: Parts, blocks: Mapping[str, str]) -> dict[str, str]:
    source = _source(tensor, parts)
    return {**_tensor(tensor, parts, blocks), "source": source.name if source else ""}


def _source(output: TensorSpec, parts: Parts) -> TensorSpec | None:
    """The input of which an output is a copy until the kernel is filled in."""
    alike = (t for t in parts.inputs if t.extents == output.extents and t not in parts.looped)
    return next(alike, None)


def _cast(output: TensorSpec, parts: Parts) -> bool:
    source = _source(output, parts)
    return source is not None and source.dtype != output.dtype


def _reference(output: TensorSpec, parts: Parts) -> str:
    source = _source(output, parts)
    if source is None:
        extents = [_known_extent(extent, parts) or extent for extent in output.extents]
        return f"torch.zeros({', '.join(extents)}, dtype=torch.{output.dtype})"
    return (
        f"{source.name}.to(torch.{output.dtype})"
        if _cast(output, parts)
        else f"{source.name}.clone()"
    )


def _known_extent(extent: str, parts: Parts) -> str | None:
    """An extent as the reference can know it: a number, or read off an input."""
    if extent.isdigit():
        return extent
    known = (
        f"{tensor.name}.shape[{axis}]"
        for tensor in parts.inputs
        for axis, name in enumerate(tensor.extents)
        if name == extent
    )
    return next(known, None)


def _cases(values: Values, parts: Parts) -> tuple[Case, ...]:
    """Tails of every size, whole tiles, and the sizes that were given."""
    whole = {name: _extent(name, parts, values) for name in parts.sizes}
    free = {n for n in whole if n not in parts.grid and n != parts.loop}
    tails = {n: size if n in free else size + max(1, size // 2) for n, size in whole.items()}
    even = {
        n: size if n in free else size * (2 + index)
        for index, (n, size) in enumerate(whole.items())
    }
    cases = (("tails", tails), ("whole-tiles", even), ("given", dict(parts.sizes)))
    return tuple(Case(name, args, **tolerances(values)) for name, args in cases)


SCAFFOLD = Pattern(
    "scaffold",
    "Scaffold",
    "Empty scaffold",
    "Tensors, grid, tiles and a loop, for what no pattern covers; it runs as it is.",
    1,
    _FIELDS,
    _RULES,
    (r"\bscaffold\b", r"\bempty kernel\b", r"\bskeleton\b"),
    (),
    _advise,
    _program,
)
