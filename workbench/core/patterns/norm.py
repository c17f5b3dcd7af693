"""The pattern of RMSNorm and LayerNorm over rows, with the residual that goes before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.figures import size
from workbench.core.patterns.common import (
    GPU,
    ceildiv,
    choice_field,
    dialect_rule,
    element_bytes,
    storage_dtype_rule,
    switch_field,
    threads_rule,
    tolerance_fields,
    tolerances,
)
from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.hints import hint_context, hint_fields, hint_rules
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
from workbench.core.patterns.norm_forms import (
    WHY_BULK,
    WHY_ONE_BARRIER,
    case_columns,
    comes_by_bulk,
    form_fields,
    form_rules,
    row_bytes,
    template_of,
    vector_of,
)
from workbench.core.patterns.rendering import returned
from workbench.core.patterns.rows import (
    kept,
    row_advice,
    row_fields,
    tail_sizes,
    vector_rule,
)
from workbench.core.targets.model import Target

_L1_BYTES = 64 * 1024  # a row of more leaves the L1 caches of all GPUs before its second reading
_FIELDS = (
    *row_fields(),
    choice_field(
        "kind",
        Step.REQUIREMENTS,
        "Norm",
        "By what a row is divided.",
        "rms",
        Option("rms", "RMSNorm", "The root of the mean square.", (r"\brms[- ]?norm\b",)),
        Option(
            "layer",
            "LayerNorm",
            "The standard deviation, after the mean is taken off.",
            (r"\blayer[- ]?norm(?:ali[sz]ation)?\b",),
        ),
    ),
    switch_field(
        "residual",
        Step.REQUIREMENTS,
        "Residual",
        "Adds a second tensor first and writes the sum too, as between the parts of a transformer.",
        False,
        r"\bresidual\b",
    ),
    Field(
        "eps", Kind.NUMBER, Step.REQUIREMENTS, "eps", "Added under the root.", 1e-6, low=0, high=1
    ),
    *hint_fields(streams=lambda values: not comes_by_bulk(values)),
    *form_fields(),
    *tolerance_fields(),
)


def _kept(values: Values, target: Target) -> int:
    """The row, its squares, and half of that for the residual in its own format."""
    rows = kept(values, target)
    return 2 * rows + (rows // 2 if values["residual"] else 0)


def _spill_broken(values: Values, target: Target) -> str | None:
    most = target.arch.limits.max_registers_per_thread
    # The squares are summed as they come, so that the compiler seldom keeps both.
    if most is None or kept(values, target) <= most * 3 // 8:
        return None
    return (
        f"Each thread would keep {_kept(values, target)} values of its rows in registers, of the "
        f"{most} that it can have."
    )


_RULES = (
    dialect_rule((GPU,), "There is a form for GPUs only."),
    storage_dtype_rule(),
    threads_rule(),
    *form_rules(),
    Rule("registers-would-spill", "Registers", ("threads", "block_M", "block_N"), _spill_broken),
    *hint_rules(),
    vector_rule(),
)


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    advice = row_advice(values)
    if values["N"] > advice["block_N"].value:  # the form for warps of 32 threads
        if not values["residual"] and target.arch.limits.warp_size == 32:
            advice["reread_N"] = Advice(
                advice["block_N"].value,
                "Registers do not hold a row: it is read again to be written.",
            )
        return advice
    if not _is_measured(values, target, advice["block_N"].value):
        return advice
    advice["one_barrier"] = Advice(True, WHY_ONE_BARRIER)
    if values["one_barrier"] is not False and not values["streaming"]:
        advice["bulk_row"] = Advice(True, WHY_BULK)
    counts = (256,) if values["kind"] == "layer" else (512, 256)
    advice["threads"] = Advice(counts[0], "So many hold a row in few registers of each.")
    if values["threads"] in counts:
        advice["min_blocks"] = Advice(
            4, "Four rows at once on a multiprocessor hide each other's waits."
        )
    return advice


def _is_measured(values: Values, target: Target, wide: Any) -> bool:
    """Whether rows by one bulk copy were measured to be the fastest.

    Of 16384 x 8192 in fp16 on an NVIDIA H200, 2026-11-30, tilelang 0.1.15, against torch.compile in
    the same run: RMSNorm 1.00 in 125.9 us (512 threads, four blocks at once; 126.4 us with 256),
    0.99 with 128 threads, 0.96 in every form that reads rows by plain loads, 0.97 in the one that
    reads them twice, 0.975 by bulk copies without a hint to L2; LayerNorm 1.07 in 127.5 us (256
    threads; 152.7 us with 512), 1.04 by plain loads. Streaming loads lose 3 to 5 %.
    """
    is_row = wide == 8192 and element_bytes(values["dtype"]) == 2 and values["block_M"] == 1
    whole = values["N"] % vector_of(values) == 0
    plain = not (values["residual"] or values["reread_N"])
    return is_row and whole and plain and target.arch.name == "sm_90a"


def _program(values: Values, setting: Setting) -> Program:
    kernel = f"{values['kind']}_norm"
    layer, residual = values["kind"] == "layer", values["residual"]
    names = ["X", "Residual"] if residual else ["X"]
    names += ["Weight", "Bias"] if layer else ["Weight"]
    outputs = "Y, Sum" if residual else "Y"
    formula = _formula(values)
    return Program(
        kernel,
        template_of(values),
        {
            **values,
            **hint_context(_hinted(values), "[-2, -1]" if residual else "[-1]"),
            "vector": vector_of(values),
            **_functions(values),
            "kernel": kernel,
            "layer": layer,
            "inputs": ", ".join(names),
        },
        formula,
        (
            f"kernel = {kernel}({values['M']}, {values['N']})",
            f"{outputs} = kernel({', '.join(names)})  # (M, N) and (N,), {values['dtype']}",
        ),
        _hardware(values),
        _sizes(values),
        _cases(values, kernel),
        _why(values),
    )


def _hinted(values: Values) -> Values:
    """The values, without streaming where no load reads a row."""
    return {**values, "streaming": None} if comes_by_bulk(values) else values


def _formula(values: Values) -> str:
    x = "X + Residual" if values["residual"] else "X"
    if values["kind"] == "layer":
        return f"Y = LayerNorm({x}) over rows, with weight and bias."
    return f"Y = RMSNorm({x}) over rows, with weight."


def _functions(values: Values) -> dict[str, Any]:
    """The reference in fp32, and PyTorch's own function as baseline."""
    layer, dtype = values["kind"] == "layer", values["dtype"]
    short = dtype != "float32"
    wide = ".float()" if short else ""
    norm, rest = _norm(layer, wide)
    finish = f".to(torch.{dtype})" if short else ""
    own, own_rest = _norm(layer, "")
    if not values["residual"]:
        return {
            "reference": returned(
                "Y", [f"{norm}(X{wide}, {rest})", *([f"Y{finish}"] if short else [])]
            ),
            "baseline": [f"return {own}(X, {own_rest})"],
        }
    total = f"(X{wide} + Residual{wide}){finish}" if short else "X + Residual"
    return {
        "reference": [f"Sum = {total}", f"Y = {norm}(Sum{wide}, {rest})", f"return Y{finish}, Sum"],
        "baseline": returned("Sum", ["X + Residual", f"{own}(Sum, {own_rest}), Sum"]),
    }


def _norm(layer: bool, wide: str) -> tuple[str, str]:
    if layer:
        return "F.layer_norm", f"Weight.shape, Weight{wide}, Bias{wide}, EPS"
    return "F.rms_norm", f"Weight.shape, Weight{wide}, EPS"


def _hardware(values: Values) -> str:
    tensors = 4 if values["residual"] else 2
    moved = tensors * element_bytes(values["dtype"])
    if values["reread_N"]:
        place = "L2" if row_bytes(values) > _L1_BYTES else "a multiprocessor's L1 cache"
        return (
            f"rows stay in {place} until they are read again. Bound by memory: {moved} bytes move "
            f"for each element, each of them once."
        )
    place = "the registers"
    if comes_by_bulk(values):
        place = f"shared memory ({size(row_bytes(values))}) and the registers"
    return (
        f"a row fits {place} of one block. Bound by memory: {moved} bytes move for each element, "
        f"each of them once."
    )


def _sizes(values: Values) -> str:
    if values["reread_N"]:
        return (
            f"the {values['threads']} threads of a block read {values['block_N']} columns of its "
            f"row at once, and {values['reread_N']} when they read it again."
        )
    each = ceildiv(values["block_M"] * values["block_N"], values["threads"])
    format_ = values["dtype"] if values["one_barrier"] else "float32"  # as it was read
    return (
        f"{values['block_M']} × {values['block_N']} a block are {each} values in "
        f"{DTYPES[format_].title} for each of {values['threads']} threads."
    )


def _cases(values: Values, kernel: str) -> tuple[Case, ...]:
    wide = case_columns(values)
    rows, columns = tail_sizes({**values, "block_N": wide})
    real = (f"{values['M']}x{values['N']}", values["M"], values["N"])
    small = (("tails", rows, columns), ("whole-tiles", 4 * values["block_M"], wide))
    return tuple(
        Case(name, {"M": a, "N": b}, baseline=f"torch_{kernel}", **tolerances(values))
        for name, a, b in (*small, real)
    )


def _why(values: Values) -> tuple[Why, ...]:
    hardware = _hardware(values)
    found = [
        Why(
            "Two readings" if values["reread_N"] else "One reading",
            f"{hardware[0].upper()}{hardware[1:]}",
        ),
        Why("Tiles", _sizes(values)),
        Why("Sums in fp32", "A row's squares are added in fp32: their sum leaves a short format."),
    ]
    if values["one_barrier"] and not values["reread_N"]:
        found.append(Why("One barrier", WHY_ONE_BARRIER))
    if comes_by_bulk(values):
        found.append(Why("Row by one copy", WHY_BULK))
    if values["residual"]:
        text = (
            "The sum is made where it is needed: without this it would be written and read again."
        )
        found.append(Why("Fused residual", text))
    return tuple(found)


NORM = Pattern(
    "norm",
    "Norms",
    "RMSNorm and LayerNorm",
    "Rows divided by their root mean square or standard deviation, with a residual before.",
    1,
    _FIELDS,
    _RULES,
    (r"\brms[- ]?norm\b", r"\blayer[- ]?norm(?:ali[sz]ation)?\b"),
    ("M", "N"),
    _advise,
    _program,
)
