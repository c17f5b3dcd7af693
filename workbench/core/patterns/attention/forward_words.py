"""What is said of a generated forward pass: its docstring and the page on its optimisations."""

from __future__ import annotations

from workbench.core.figures import size
from workbench.core.patterns.attention.fields import (
    matrix_unit,
    multiprocessors,
    sharing,
    stages_comment,
)
from workbench.core.patterns.attention.footprint import registers_kept, shared_bytes
from workbench.core.patterns.attention.roles import (
    COPYING_THREADS,
    has_roles,
    keeps_queries,
    takes_turns,
)
from workbench.core.patterns.common import ceildiv
from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.model import Values, Why
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target


def formula(values: Values) -> str:
    """The docstring's first line."""
    causal = "causal " if values["causal"] else ""
    packed = " over packed sequences" if values["variable"] else ""
    title = DTYPES[values["dtype"]].title
    kind = sharing(values)
    return f"Out = softmax(Q Kᵀ / √dim) V, {causal}{kind} attention{packed} in {title}."


def usage(values: Values) -> tuple[str, ...]:
    """Lines of an example."""
    sizes = ", ".join(str(values[n]) for n in ("batch", "heads", "kv_heads", "seq_len", "dim"))
    lead = f"kernel = flash_attention({sizes})"
    if values["variable"]:
        return (
            lead,
            "Out = kernel(Q, K, V, Starts)  # Q: (total, heads, dim); Starts: (batch + 1,) int32",
        )
    return lead, f"Out = kernel(Q, K, V)  # (batch, seq_len, heads, dim) {values['dtype']}"


def hardware(values: Values, target: Target) -> str:
    """What the kernel takes for granted."""
    threads = values["threads"] + (COPYING_THREADS if has_roles(values) else 0)
    return (
        f"{matrix_unit(target)}; {size(shared_bytes(values, target))} of shared memory and "
        f"{threads} threads a block."
    )


def tiles_chosen(values: Values, target: Target) -> str:
    """Why these tiles."""
    m, n = values["block_M"], values["block_N"]
    blocks = ceildiv(values["seq_len"], m) * values["heads"] * values["batch"]
    units = multiprocessors(target)
    waves = f", {blocks / units:.1f} waves of {short_label(target)}" if units else ""
    kept = ", and queries," if keeps_queries(values) else ""
    return (
        f"{m} queries a block make {blocks} blocks{waves}; each key and value that comes from L2 "
        f"is used for all of them ({2 * m} FLOP a byte). Scores of {m} × {n} and results of "
        f"{m} × {values['dim']}{kept} take {registers_kept(values, target)} registers of each of "
        f"{values['threads']} threads."
    )


def why_order(values: Values) -> str:
    """Why blocks run in this order."""
    if values["order"] == "tiles":
        return (
            "bx runs fastest: blocks that run together share the keys and values of a head in L2."
        )
    if values["causal"]:
        return (
            "The last tile has the most keys, so it starts first, of all heads: what is left at "
            "the end of the launch is short."
        )
    return "Heads run fastest: blocks that run together read the keys of several heads."


def _why_pipeline(values: Values) -> Why:
    if not has_roles(values):
        return Why("Pipeline", stages_comment(values["num_stages"], "keys and values"))
    return Why(
        "Warpgroups with roles",
        "One warpgroup copies tiles ahead and needs few registers; the others have the rest. They "
        "begin the scores of the next tile and the product with V of the last, and compute "
        "maxima and exponentials while that product goes on. Keys are taken from the last to the "
        "first, so that masks are needed before the loop only.",
    )


def whys(values: Values, target: Target) -> tuple[Why, ...]:
    """Each optimisation and what it is for."""
    found = [
        Why(
            "Scores stay on the chip",
            "A tile of scores becomes weights in registers and is multiplied by V at once: the "
            "seq_len × seq_len matrix is never written. Maximum and sum of a row are carried from "
            "tile to tile, and what was summed so far is scaled when the maximum grows.",
        ),
        Why("Tiles", tiles_chosen(values, target)),
        _why_pipeline(values),
        Why(
            "Whole rows a warp",
            "FullRow gives each warp whole rows of scores, so that their maxima and sums need only "
            "shuffles, and the weights are an operand of the second product as they lie.",
        ),
        Why(
            "Base two",
            "exp(x) is exp2(x · log2 e); the scale of the scores goes into the same factor, so "
            "that each weight takes one multiply-add and one exp2.",
        ),
        Why("Order of blocks", why_order(values)),
    ]
    if takes_turns(values):
        text = (
            "Barriers with numbers, on which threads wait without memory, let each of the two "
            "warpgroups begin its products when the other has begun its own: from then on one has "
            "the tensor cores while the other computes exponentials."
        )
        found.append(Why("Turns", text))
    if keeps_queries(values):
        text = (
            "Queries are copied to registers once, as the first operand of each product with keys: "
            "the tensor cores read keys and values alone in shared memory."
        )
        found.append(Why("Queries in registers", text))
    if values["causal"]:
        text = (
            "Tiles of keys behind the last query of a block are left out, and only those on the "
            "diagonal are masked: half of the work, and no comparisons in the rest of it."
        )
        found.append(Why("Causal bound", text))
    if values["kv_heads"] != values["heads"]:
        text = "Heads of a group run after each other, so that L2 serves their keys and values."
        found.append(Why("Groups of heads", text))
    return tuple(found)
