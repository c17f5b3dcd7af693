"""Shared, global and local memory, L2 and DRAM of a launch: which metrics hold what is counted.

The kinds of shared memory's accesses are those of `core.analysis.shared_sites`, so that a
prediction and a measurement of one thing have one key.
"""

from __future__ import annotations

from workbench.core.counters.model import Group, Quantity, formula

_SHARED = "pipe_lsu_mem_shared"
_SASS_WAVEFRONTS = "_sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
TOTAL = "memory_l1_wavefronts_shared"
# Our kind of access, its title, and its name in the metrics.
_KINDS = (
    ("load", "plain loads", "ld"),
    ("store", "plain stores", "st"),
    ("ldmatrix", "ldmatrix", "ldsm"),
    ("stmatrix", "stmatrix", "stsm"),
    ("async-copy", "asynchronous copies", "ldgsts"),
    ("integer-atomic", "atomics", "atom"),
    ("tensor", "operands of tensor instructions", "gmma"),
)

_OF_THE_SM = ("gmma",)  # not counted by quarters of an SM


def _counted(key: str, title: str, group: Group, *candidates: str, basic: bool = True) -> Quantity:
    return Quantity(key, title, group, tuple(map(formula, candidates)), basic=basic)


def _sass(unit: str, *operations: str) -> str:
    return " + ".join(f"{unit}_{_SASS_WAVEFRONTS}{each}.sum" for each in operations)


def _wavefronts(kind: str, title: str, operation: str, *others: str) -> Quantity:
    exact = [_sass("sm", operation)]
    exact += [_sass("smsp", operation)] * (operation not in _OF_THE_SM)
    return _counted(f"shared.{kind}.wavefronts", title, Group.WAVEFRONTS, *exact, *others)


def _lsu(operation: str) -> str:
    return f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{operation}.sum"


# Else what is left of the exact total when every other kind is taken away.
_REST = (
    "l1tex__data_pipe_tc_wavefronts_mem_shared.sum",  # the fifth generation's, by descriptors
    " - ".join([TOTAL, *(_sass("sm", op) for _, _, op in _KINDS if op != "gmma")]),
    _lsu("gmma"),
    " - ".join([TOTAL, _lsu("ld"), _lsu("st"), _lsu("atom"), _sass("smsp", "ldgsts")]),
)
_ELSEWHERE = {"integer-atomic": (_lsu("atom"),), "tensor": _REST}
WAVEFRONTS = (
    _counted("shared.wavefronts", "all accesses", Group.WAVEFRONTS, TOTAL),
    _counted("shared.ideal", "the least for what is moved", Group.WAVEFRONTS, f"{TOTAL}_ideal"),
    _counted(
        "shared.loads.wavefronts",
        "loads, with ldmatrix",
        Group.WAVEFRONTS,
        _sass("sm", "ld", "ldsm"),
        _sass("smsp", "ld", "ldsm"),
        _lsu("ld"),
    ),
    _counted(
        "shared.stores.wavefronts",
        "stores, with stmatrix",
        Group.WAVEFRONTS,
        _sass("sm", "st", "stsm"),
        _sass("smsp", "st", "stsm"),
        _lsu("st"),
    ),
    *(_wavefronts(*row, *_ELSEWHERE.get(row[0], ())) for row in _KINDS),
)


def _conflicts(key: str, title: str, *candidates: str) -> Quantity:
    return _counted(f"shared.{key}.conflicts", title, Group.CONFLICTS, *candidates)


def _sass_conflicts(operation: str) -> str:
    return f"smsp__sass_l1tex_data_bank_conflicts_{_SHARED}_op_{operation}.sum"


def _lsu_conflicts(operation: str) -> str:
    return f"l1tex__data_bank_conflicts_{_SHARED}_op_{operation}.sum"


CONFLICTS = (
    _conflicts("loads", "loads, with ldmatrix", _lsu_conflicts("ld")),
    _conflicts("stores", "stores, with stmatrix", _lsu_conflicts("st")),
    _conflicts("ldmatrix", "ldmatrix", _sass_conflicts("ldsm")),
    _conflicts("stmatrix", "stmatrix", _sass_conflicts("stsm")),
    _conflicts(
        "async-copy", "asynchronous copies", _sass_conflicts("ldgsts"), _lsu_conflicts("ldgsts")
    ),
    _conflicts("integer-atomic", "atomics", _lsu_conflicts("atom")),
    _conflicts("tensor", "operands of tensor instructions", _lsu_conflicts("gmma")),
    _counted(
        "shared.arbitration",
        "arbitration between warps",
        Group.CONFLICTS,
        "l1tex__data_bank_conflicts_type_arbitration.sum",
    ),
)


def _instructions(kind: str, title: str, *names: str) -> Quantity:
    key = f"shared.{kind}.instructions"
    candidates = [f"smsp__{name}.sum" for name in names]
    return _counted(key, f"{title} of shared memory", Group.INSTRUCTIONS, *candidates)


INSTRUCTIONS = (
    _counted(
        "instructions",
        "instructions of warps",
        Group.INSTRUCTIONS,
        "smsp__inst_executed.sum",
        "sm__inst_executed.sum",
        "inst_executed",
    ),
    _instructions("load", "loads", "sass_inst_executed_op_shared_ld", "inst_executed_op_shared_ld"),
    _instructions(
        "store", "stores", "sass_inst_executed_op_shared_st", "inst_executed_op_shared_st"
    ),
    _instructions("ldmatrix", "ldmatrix", "sass_inst_executed_op_ldsm", "inst_executed_op_ldsm"),
    _instructions(
        "stmatrix", "stmatrix", "sass_inst_executed_op_shared_stsm", "inst_executed_op_shared_stsm"
    ),
    _instructions(
        "async-copy",
        "asynchronous copies",
        "sass_inst_executed_op_ldgsts",
        "inst_executed_op_ldgsts",
    ),
    _instructions(
        "integer-atomic",
        "atomics",
        "sass_inst_executed_op_shared_atom",
        "inst_executed_op_shared_atom",
    ),
    _instructions("tensor", "tensor instructions", "sass_inst_executed_op_shared_gmma"),
    _counted(
        "instructions.bulk_load",
        "bulk copies to shared memory",
        Group.INSTRUCTIONS,
        "smsp__sass_inst_executed_op_tma_ld.sum",
        "smsp__inst_executed_op_tma_ld.sum",
    ),
    _counted(
        "instructions.bulk_store",
        "bulk copies to global memory",
        Group.INSTRUCTIONS,
        "smsp__sass_inst_executed_op_tma_st.sum",
        "smsp__inst_executed_op_tma_st.sum",
    ),
)


def _sectors(unit: str, space: str, *operations: str) -> str:
    names = [f"{unit}t_sectors_pipe_lsu_mem_{space}_op_{each}.sum" for each in operations]
    return " + ".join(names)


_BY_CODE, _BY_L1 = "sm__sass_l1tex_", "l1tex__"
GLOBAL = (
    _counted(
        "global.load_sectors",
        "sectors loaded",
        Group.GLOBAL,
        _sectors(_BY_CODE, "global", "ld", "ldgsts"),  # the L1 counts both as loads
        _sectors(_BY_L1, "global", "ld"),
    ),
    _counted(
        "global.store_sectors",
        "sectors stored",
        Group.GLOBAL,
        _sectors(_BY_CODE, "global", "st"),
        _sectors(_BY_L1, "global", "st"),
    ),
    Quantity(
        "global.bulk_load_bytes",
        "bytes of bulk copies from memory",
        Group.GLOBAL,
        (formula("l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum"),),
        "B",
        "byte",
    ),
    Quantity(
        "global.bulk_store_bytes",
        "bytes of bulk copies to memory",
        Group.GLOBAL,
        (formula("l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum"),),
        "B",
        "byte",
    ),
    Quantity(
        "l1.hit_rate",
        "hits of the L1",
        Group.GLOBAL,
        (formula("l1tex__t_sector_hit_rate.pct"),),
        "%",
        "%",
    ),
    _counted(
        "local.load_sectors",
        "sectors of spills loaded",
        Group.LOCAL,
        _sectors(_BY_CODE, "local", "ld"),
        _sectors(_BY_L1, "local", "ld"),
    ),
    _counted(
        "local.store_sectors",
        "sectors of spills stored",
        Group.LOCAL,
        _sectors(_BY_CODE, "local", "st"),
        _sectors(_BY_L1, "local", "st"),
    ),
)
L2 = (
    Quantity("l2.hit_rate", "hits", Group.L2, (formula("lts__t_sector_hit_rate.pct"),), "%", "%"),
    _counted("l2.sectors", "sectors", Group.L2, "lts__t_sectors.sum"),
    _counted("l2.read_sectors", "sectors read", Group.L2, "lts__t_sectors_op_read.sum"),
    _counted("l2.write_sectors", "sectors written", Group.L2, "lts__t_sectors_op_write.sum"),
    _counted("l2.sm_sectors", "sectors for the SMs", Group.L2, "lts__t_sectors_srcunit_tex.sum"),
)
DRAM = (
    Quantity(
        "dram.read_bytes",
        "bytes read",
        Group.DRAM,
        (formula("dram__bytes_read.sum"), formula("dram__bytes_op_read.sum")),
        "B",
        "byte",
    ),
    Quantity(
        "dram.write_bytes",
        "bytes written",
        Group.DRAM,
        (formula("dram__bytes_write.sum"), formula("dram__bytes_op_write.sum")),
        "B",
        "byte",
    ),
    Quantity(
        "dram.bandwidth",
        "rate",
        Group.DRAM,
        (
            formula("dram__bytes.sum.per_second"),
            formula("dram__bytes_read.sum.per_second + dram__bytes_write.sum.per_second"),
        ),
        "GB/s",
        "byte/s",
    ),
    Quantity(
        "dram.utilization",
        "share of the peak rate",
        Group.DRAM,
        (
            formula("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"),
            formula("dram__throughput.avg.pct_of_peak_sustained_elapsed"),
            formula("dram__cycles_active.avg.pct_of_peak_sustained_elapsed"),
        ),
        "%",
        "%",
    ),
)
