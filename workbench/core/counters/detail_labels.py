"""What Nsight Compute's page of details calls the metrics that it shows.

Source: the labels of its section files (LaunchStats, Occupancy, SpeedOfLight, and those of memory).
"""

from __future__ import annotations

from collections.abc import Mapping

#: Official names by label. "Memory Throughput" is not among them: two metrics are called so.
OFFICIAL: Mapping[str, str] = {
    "Duration": "gpu__time_duration.sum",
    "SM Frequency": "smsp__cycles_elapsed.avg.per_second",
    "DRAM Frequency": "dram__cycles_elapsed.avg.per_second",
    "DRAM Throughput": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "Compute (SM) Throughput": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "L1/TEX Hit Rate": "l1tex__t_sector_hit_rate.pct",
    "L2 Hit Rate": "lts__t_sector_hit_rate.pct",
    "Grid Size": "launch__grid_size",
    "Block Size": "launch__block_size",
    "Cluster Size": "launch__cluster_size",
    "Waves Per SM": "launch__waves_per_multiprocessor",
    "# SMs": "launch__sm_count",
    "Registers Per Thread": "launch__registers_per_thread",
    "Static Shared Memory Per Block": "launch__shared_mem_per_block_static",
    "Dynamic Shared Memory Per Block": "launch__shared_mem_per_block_dynamic",
    "Driver Shared Memory Per Block": "launch__shared_mem_per_block_driver",
    "Shared Memory Configuration Size": "launch__shared_mem_config_size",
    "Theoretical Occupancy": "sm__maximum_warps_per_active_cycle_pct",
    "Achieved Occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "Block Limit SM": "launch__occupancy_limit_blocks",
    "Block Limit Warps": "launch__occupancy_limit_warps",
    "Block Limit Registers": "launch__occupancy_limit_registers",
    "Block Limit Shared Mem": "launch__occupancy_limit_shared_mem",
    "Block Limit Barriers": "launch__occupancy_limit_barriers",
}
