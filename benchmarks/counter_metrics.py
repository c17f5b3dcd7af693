"""Which Nsight Compute metrics hold the figures that `measure_counters.py` writes of a launch."""

from __future__ import annotations

from collections.abc import Mapping

SASS = "sass_l1tex_data"  # counted by the instructions that Nsight Compute adds: no noise
THEORETICAL = "theoretical_occupancy_pct"

# A figure is a metric; a group of figures is a table of them. The names are those of a Hopper.
FIGURES: dict[str, str | dict[str, str]] = {
    "conflicts": {
        "load": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "store": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "atomic": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
        "gmma": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_gmma.sum",
        "arbitration": "l1tex__data_bank_conflicts_type_arbitration.sum",
    },
    "wavefronts": {
        "load": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "store": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "atomic": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
        "gmma": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum",
    },
    "sass_conflicts": {
        op: f"smsp__{SASS}_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"
        for op in ("ldsm", "stsm", "ldgsts")
    },
    "sass_wavefronts": {
        op: f"sm__{SASS}_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
        for op in ("ld", "st", "ldsm", "stsm", "ldgsts", "atom", "gmma")
    },
    "memory_l1_wavefronts_shared": "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal": "memory_l1_wavefronts_shared_ideal",
    "instructions": {
        "shared_load": "smsp__sass_inst_executed_op_shared_ld.sum",
        "shared_store": "smsp__sass_inst_executed_op_shared_st.sum",
        "ldmatrix": "smsp__inst_executed_op_ldsm.sum",
        "stmatrix": "smsp__inst_executed_op_shared_stsm.sum",
        "async_copy": "smsp__inst_executed_op_ldgsts.sum",
        "shared_atomic": "smsp__inst_executed_op_shared_atom.sum",
        "wgmma": "smsp__sass_inst_executed_op_shared_gmma.sum",
        "tma_load": "smsp__sass_inst_executed_op_tma_ld.sum",
        "tma_store": "smsp__sass_inst_executed_op_tma_st.sum",
    },
    "registers_per_thread": "launch__registers_per_thread",
    "shared_dynamic_bytes": "launch__shared_mem_per_block_dynamic",
    "shared_static_bytes": "launch__shared_mem_per_block_static",
    "shared_carveout_bytes": "launch__shared_mem_config_size",
    "occupancy_limits": {
        limit: f"launch__occupancy_limit_{limit}"
        for limit in ("blocks", "registers", "shared_mem", "warps", "barriers")
    },
    THEORETICAL: "sm__maximum_warps_per_active_cycle_pct",
    "achieved_occupancy_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "grid_size": "launch__grid_size",
    "block_size": "launch__block_size",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "local_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "tma_load_bytes": "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum",
    "tma_store_bytes": "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "time_ns": "gpu__time_duration.sum",
}

Figures = dict[str, float | dict[str, float | None] | None]


def metrics() -> tuple[str, ...]:
    """Every metric of `FIGURES`, once."""
    found: list[str] = []
    for figure in FIGURES.values():
        found.extend(figure.values() if isinstance(figure, dict) else [figure])
    return tuple(dict.fromkeys(found))


def figures(row: Mapping[str, str]) -> Figures:
    """The figures of one launch, by Nsight Compute's row of it: None where it has no number."""
    found: Figures = {
        name: {part: _number(row, metric) for part, metric in figure.items()}
        if isinstance(figure, dict)
        else _number(row, figure)
        for name, figure in FIGURES.items()
    }
    # 0 is what Nsight Compute says of a kernel that runs where it finds no room for a block.
    return {**found, THEORETICAL: found[THEORETICAL] or None}


def _number(row: Mapping[str, str], metric: str) -> float | None:
    try:
        return float(row.get(metric, "").replace(",", ""))
    except ValueError:
        return None  # Nsight Compute writes n/a, or nothing, where it could not tell
