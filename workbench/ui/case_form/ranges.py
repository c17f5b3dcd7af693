"""What is known of a parameter by its name: its group, its sensible values, unit and meaning."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass


class Group(enum.Enum):
    """Where a field stands in the form, in this order."""

    TILING = "Tiling and pipeline"
    PROBLEM = "Problem"
    TYPES = "Types"
    OPTIONS = "Options"


@dataclass(frozen=True)
class Known:
    """What a name says: `steps` are the values of a slider, `choices` those of a list.

    `least` is the smallest whole number that makes sense, None where nothing is known of it.
    """

    group: Group
    help: str
    unit: str = ""
    steps: tuple[int, ...] = ()
    choices: tuple[str, ...] = ()
    least: int | None = None


_TILES = tuple(2**power for power in range(10))
# A warp is 32 threads; 1024 is the most that a block can have on every NVIDIA and AMD GPU.
_THREADS = tuple(range(32, 1025, 32))
_STAGES = tuple(range(7))
# The values of T.GemmWarpPolicy: Square, FullRow and FullCol.
_POLICIES = (0, 1, 2)
_SPLITS = tuple(2**power for power in range(6))
# The names that TileLang takes where a dtype is a string.
DTYPES = (
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "float8_e4m3",
    "float8_e5m2",
    "int8",
    "uint8",
    "int32",
    "int64",
)

_TABLE: tuple[tuple[str, Known], ...] = (
    (
        r"(num_)?threads|n_threads|num_threads_per_block",
        Known(Group.TILING, "Threads in a block: whole warps of 32", "threads", _THREADS, least=1),
    ),
    (
        r"(num_|n_)?stages?|pipeline_stages|num_stages_\w+",
        Known(Group.TILING, "Copies in flight; 0 is no pipeline", "stages", _STAGES, least=0),
    ),
    (
        r"(gemm_|warp_)?policy",
        Known(
            Group.TILING,
            "How warps share a product's tile: 0 square, 1 full rows, 2 full columns",
            steps=_POLICIES,
        ),
    ),
    (
        r"(num_|n_)?splits?(_?k)?",
        Known(Group.TILING, "Blocks that share one output tile's sum", "splits", _SPLITS, least=1),
    ),
    (
        r"(block|tile|chunk|blk|group)_?\w*|b[mnkhq]|\w*_(block|tile|chunk)(_size)?",
        Known(
            Group.TILING, "A side of the tile that one block works on", "elements", _TILES, least=1
        ),
    ),
    (
        r"\w*d_?type|\w*_ty",
        Known(Group.TYPES, "Type of the elements", choices=DTYPES),
    ),
    (
        r"[mnklbhdst]|(num_|n_)?(batch|heads?|groups?|tokens?|experts?|rows|cols)(_?size)?"
        r"|seq_?len\w*|(head_|hidden_)?dim\w*|\w+_len|in_\w+|out_\w+",
        Known(Group.PROBLEM, "A size of the problem", "elements", least=1),
    ),
)
_UNKNOWN = Known(Group.OPTIONS, "An argument of the kernel")


def known_of(name: str) -> Known:
    """What the name of a parameter says, in any case; little for a name that nobody knows."""
    return next(
        (known for pattern, known in _TABLE if re.fullmatch(pattern, name, re.IGNORECASE)), _UNKNOWN
    )
