"""What fills the scaffold's template: it copies or clears its outputs until it is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.patterns.common import tolerances
from workbench.core.patterns.model import Program, Setting, Values, Why
from workbench.core.patterns.scaffold.parts import Parts, extent_of, known_extent, read_parts
from workbench.core.patterns.tensor_specs import TensorSpec

_INDICES = "ijkl"


def program(values: Values, setting: Setting) -> Program:
    """The document's parts for one set of values."""
    parts = read_parts(values)
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
        extents = [known_extent(extent, parts) or extent for extent in output.extents]
        return f"torch.zeros({', '.join(extents)}, dtype=torch.{output.dtype})"
    return (
        f"{source.name}.to(torch.{output.dtype})"
        if _cast(output, parts)
        else f"{source.name}.clone()"
    )


def _cases(values: Values, parts: Parts) -> tuple[Case, ...]:
    """Tails of every size, whole tiles, and the sizes that were given."""
    whole = {name: extent_of(name, parts, values) for name in parts.sizes}
    free = {n for n in whole if n not in parts.grid and n != parts.loop}
    tails = {n: size if n in free else size + max(1, size // 2) for n, size in whole.items()}
    even = {
        n: size if n in free else size * (2 + index)
        for index, (n, size) in enumerate(whole.items())
    }
    cases = (("tails", tails), ("whole-tiles", even), ("given", dict(parts.sizes)))
    return tuple(Case(name, args, **tolerances(values)) for name, args in cases)
