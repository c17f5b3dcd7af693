"""What is said of a generated backward pass: its tiles, and the page on its optimisations."""

from __future__ import annotations

from workbench.core.figures import size
from workbench.core.patterns.attention.fields import stages_comment
from workbench.core.patterns.attention.roles import has_roles
from workbench.core.patterns.common import ceildiv
from workbench.core.patterns.model import Values, Why

_BYTES = 2


def tiles_chosen(values: Values) -> str:
    """Why these tiles."""
    m, n = values["block_M"], values["block_N"]
    blocks = ceildiv(values["seq_len"], n) * values["kv_heads"] * values["batch"]
    kept = 2 * n * values["dim"] // values["threads"]
    return (
        f"{n} keys a block make {blocks} blocks. dK and dV of {n} × {values['dim']} take {kept} "
        f"registers of each of {values['threads']} threads, which leaves room for scores of {n} × "
        f"{m}: five products a step for two tiles of {size(m * values['dim'] * _BYTES)}."
    )


def _why_pipeline(values: Values) -> Why:
    if not has_roles(values):
        return Why("Pipeline", stages_comment(values["num_stages"], "queries and gradients"))
    return Why(
        "Warpgroups with roles",
        "One warp copies tiles ahead, another adds to dQ; the other warpgroups have nearly all "
        "registers, and compute exponentials and gradients of scores while products go on.",
    )


def whys(values: Values) -> tuple[Why, ...]:
    """Each optimisation and what it is for."""
    found = [
        Why(
            "One kernel with atomic sums for dQ",
            "A block keeps dK and dV of its keys and adds to dQ in L2: five products a tile. "
            "Without atomic sums dQ would need a second kernel that computes scores and their "
            "gradients again, seven products a tile; it would give the same bits in each run.",
        ),
        Why(
            "Weights again",
            "The weights are computed anew from the logarithm of their sums that the forward pass "
            "kept: the matrix of seq_len × seq_len is never stored.",
        ),
        Why(
            "Transposed scores",
            "With a row for each key the weights and the gradients of the scores are first "
            "operands of dV and dK as they lie in registers; dQ alone needs them in shared memory.",
        ),
        Why("Tiles", tiles_chosen(values)),
        _why_pipeline(values),
    ]
    if values["causal"]:
        text = (
            "Queries before the first key of a block are left out, and only tiles on the diagonal "
            "are masked. Blocks with the most queries start first."
        )
        found.append(Why("Causal bound", text))
    if values["kv_heads"] != values["heads"]:
        text = "A block goes through all heads that share its keys: their sums stay in registers."
        found.append(Why("Groups of heads", text))
    return tuple(found)
