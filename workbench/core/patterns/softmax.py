"""The pattern of a softmax over rows: whole rows in registers, or long ones online."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.core.documents.model import Case
from workbench.core.patterns.common import (
    ASCEND,
    CPU,
    GPU,
    ceildiv,
    choice_field,
    element_bytes,
    is_gpu,
    storage_dtype_rule,
    threads_rule,
    tolerance_fields,
    tolerances,
)
from workbench.core.patterns.model import (
    Advice,
    Goal,
    Option,
    Pattern,
    Program,
    Rule,
    Setting,
    Step,
    Values,
    Why,
)
from workbench.core.patterns.rows import (
    ascend_rows_rule,
    kept_rule,
    row_advice,
    row_fields,
    tail_sizes,
    vector_rule,
)
from workbench.core.targets.model import Target

_LONGEST = 32768
# 16384 x 8192 in fp16 on an NVIDIA H200, 2026-11-30, tilelang 0.1.15, of the bandwidth of a copy:
# 0.96 with 64 or 32 values a thread, 0.98 with 16, which leave room for all warps.
_MOST_KEPT = 16
_TEMPLATES = {CPU: "softmax_cpu.py.j2", ASCEND: "softmax_ascend.py.j2"}
_FIELDS = (
    *row_fields(),
    choice_field(
        "form",
        Step.TILES,
        "Form",
        "Whether a row is read once and kept, or twice in tiles.",
        "whole",
        Option("whole", "Whole row", "The row stays in registers: X is read once."),
        Option("online", "Online", "Maximum and sum in one pass over tiles, values in a second."),
    ),
    *tolerance_fields(),
)


def _form_broken(values: Values, target: Target) -> str | None:
    if not is_gpu(target) or values["form"] == "online" or values["block_N"] >= values["N"]:
        return None
    return f"Rows of {values['N']} are longer than block_N = {values['block_N']}."


def _cpu_broken(values: Values, target: Target) -> str | None:
    if target.dialect != CPU or values["dtype"] == "float32":
        return None
    return "Plain C has no shorter floating-point format than fp32."


_RULES = (
    storage_dtype_rule(),
    Rule("cpu-form", "CPU", ("dtype",), _cpu_broken),
    ascend_rows_rule(4),
    threads_rule(),
    Rule("whole-rows", "Whole rows", ("form", "block_N"), _form_broken),
    kept_rule(),
    vector_rule(),
)


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    if target.dialect == CPU:
        return {
            "dtype": Advice("float32", "Plain C has no shorter floating-point format."),
            "block_N": Advice(1024, "A part of a row that stays in the L1 cache."),
        }
    whole = values["N"] <= _LONGEST
    reason = (
        "The row fits the registers of a block."
        if whole
        else f"A row of {values['N']} does not fit the registers of a block."
    )
    if target.dialect == ASCEND:
        rows = next(
            n for n in (4, 2, 1) if (values["M"] % n == 0 and n * values["N"] <= 16384) or n == 1
        )
        return {
            "block_M": Advice(rows, "Whole rows that fit the unified buffer of a vector core."),
            "threads": Advice(256, "Lanes of the SIMT region."),
        }
    return {
        **row_advice(values, _LONGEST, _MOST_KEPT),
        "form": Advice("whole" if whole else "online", reason),
    }


def _program(values: Values, setting: Setting) -> Program:
    target = setting.target
    inputs = f"X: (M, N) {values['dtype']}"
    call = "kernel(X, Y)" if target.dialect == ASCEND else "Y = kernel(X)"
    return Program(
        "softmax",
        _TEMPLATES.get(target.dialect, "softmax.py.j2"),
        values,
        f"Softmax over the rows of a matrix, {_how(values, target)}.",
        (f"kernel = softmax({values['M']}, {values['N']})", f"{call}  # {inputs}"),
        _hardware(values, target),
        _sizes(values, target),
        _cases(values, target),
        _why(values, target),
    )


def _how(values: Values, target: Target) -> str:
    online = target.dialect == CPU or (is_gpu(target) and values["form"] == "online")
    return "maximum and sum in one pass" if online else "each row read once"


def _hardware(values: Values, target: Target) -> str:
    if target.dialect == ASCEND:
        return "vector cores, whose unified buffer holds whole rows."
    if target.dialect == CPU:
        return "a part of a row fits the L1 data cache."
    bytes_moved = 2 * element_bytes(values["dtype"])
    if values["form"] == "whole":
        return (
            f"a row fits the registers of one block. Bound by memory: {bytes_moved} bytes move for "
            f"each element."
        )
    return "none. Bound by memory: X is read twice, the second time from L2 where it has stayed."


def _sizes(values: Values, target: Target) -> str:
    if target.dialect != GPU:
        return "rows are independent of each other."
    each = ceildiv(values["block_M"] * values["block_N"], values["threads"])
    return (
        f"{values['block_M']} × {values['block_N']} a block are {each} values in fp32 for each of "
        f"{values['threads']} threads, which leaves registers for several blocks."
    )


def _cases(values: Values, target: Target) -> tuple[Case, ...]:
    m, n = values["block_M"], values["block_N"]
    rows, columns = tail_sizes(values)
    small = [("tails", rows, columns), ("whole-tiles", 4 * m, n)]
    if target.dialect == ASCEND:
        small = [("flat", m, 1024), ("tall", 6 * m, 256)]
    elif target.dialect == CPU:
        small = [("tails", 3, n + 77), ("whole-tiles", 5, 2 * n)]
    elif values["form"] == "online":
        small = [("tails", rows, n + columns), ("whole-tiles", 4 * m, 2 * n)]
    real = (f"{values['M']}x{values['N']}", values["M"], values["N"])
    baseline = "torch_softmax" if target.dialect == GPU else None
    return tuple(
        Case(name, {"M": a, "N": b}, baseline=baseline, **tolerances(values))
        for name, a, b in (*small, real)
    )


def _why(values: Values, target: Target) -> tuple[Why, ...]:
    hardware = _hardware(values, target)
    found = [
        Why("Reading", f"{hardware[0].upper()}{hardware[1:]}"),
        Why("Tiles", _sizes(values, target)),
    ]
    if is_gpu(target):
        text = "exp(x) is exp2(x · log2 e): the hardware has an instruction for exp2."
        found.append(Why("Base two", text))
    found.append(Why("Range", "Values are taken relative to the row's maximum: none overflows."))
    return tuple(found)


SOFTMAX = Pattern(
    "softmax",
    "Softmax",
    "Softmax over rows",
    "Rows of any length, whole in registers or online in tiles.",
    1,
    _FIELDS,
    _RULES,
    (r"\bsoft-?max\b",),
    ("M", "N"),
    _advise,
    _program,
)
