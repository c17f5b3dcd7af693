"""What has to be known to rule out each cause of a symptom, and the titles that no rule gives."""

from __future__ import annotations

from workbench.core.doctor.symptoms_model import Need

_SOURCE, _LOWERED, _SIMULATION = Need.SOURCE, Need.LOWERED, Need.SIMULATION

#: By code: all that has to be known before its absence means that a kernel does not have it.
NEEDS: dict[str, tuple[Need, ...]] = {
    **dict.fromkeys(
        ("wrong-transpose", "unused-buffer", "pipeline-depth", "tile-size", "warp-policy",
         "boundary-padding", "unscaled-scores", "missing-pipelining",
         "missing-swizzle-l2",
         "block-smaller-than-warp", "metadata-unknown-argument", "initialization-moved",
         "thread-index-too-large", "im2col-bounds"),
        (_SOURCE,),
    ),
    **dict.fromkeys(
        ("gemm-shape-mismatch", "rank-mismatch", "copy-shape-mismatch", "warp-partition-illegal",
         "tensor-core-shape-illegal", "unaligned-block-k", "layout-not-found", "layout-conflict",
         "symbolic-tile", "threads-over-limit", "target-unsupported", "fragment-two-index-maps",
         "fragment-serial-access", "layout-not-injective", "sibling-pipelines-mismatch",
         "shared-memory-over-limit", "registers-over-limit", "fragment-replicated",
         "idle-threads", "setmaxnreg-over-budget", "pipeline-hazard", "stage-overwritten",
         "shared-memory-race", "noncontiguous-bulk-copy", "barrier-divergence",
         "mbarrier-arrival-count", "mbarrier-transaction-bytes", "mbarrier-not-initialised"),
        (_SOURCE, _LOWERED),
    ),
    **dict.fromkeys(
        ("out-idx-misuse", "output-not-covered", "uninitialized-read", "out-of-bounds-read",
         "out-of-bounds-write", "block-race", "parallel-race", "nan-source", "epsilon-missing",
         "online-softmax", "low-precision-accumulator", "low-precision-arithmetic",
         "narrow-overflow", "gemm-uninitialized-accumulator", "index-beyond-fragment",
         "tile-outside", "partial-tile", "barrier-deadlock"),
        (_SOURCE, _SIMULATION),
    ),
    "reference-mismatch": (Need.COMPARISON,),
    "bank-conflict": (Need.SHARED,),
    "swizzle-prevented": (_SOURCE,),
    "narrow-access": (Need.GLOBAL, Need.SHARED),
    "uncoalesced-access": (Need.GLOBAL,),
    "low-occupancy": (Need.OCCUPANCY,),
    "grid-too-small": (_LOWERED,),
    "tail-wave": (Need.OCCUPANCY,),
    "register-spill": (Need.MACHINE_CODE,),
}  # fmt: skip

#: Titles of what stages tell without a rule of the table.
TITLES = {
    "copy-shape-mismatch": "The sides of a copy differ",
    "symbolic-tile": "A tile's size is not known",
    "index-beyond-fragment": "Loop past a tile's extent",
    "tile-outside": "Tile outside its tensor",
    "partial-tile": "Tile past the end of its tensor",
    "metadata-unknown-argument": "A case names no argument of the kernel",
    "low-precision-arithmetic": "Computed in 16 bits",
    "narrow-overflow": "Value past the end of its type",
    "stage-overwritten": "A stage is overwritten too early",
    "shared-memory-race": "Shared memory without a barrier",
    "barrier-divergence": "Threads that miss a barrier",
    "barrier-deadlock": "A barrier that never opens",
    "mbarrier-arrival-count": "Arrivals do not go with the barrier",
    "mbarrier-transaction-bytes": "Bytes do not go with the barrier",
    "mbarrier-not-initialised": "A barrier that was not set up",
    "pipeline-depth": "Stages of the pipeline",
    "tile-size": "Tiles that do not suit the target",
    "warp-policy": "Warps shared out another way",
    "boundary-padding": "Zeros past the end count",
    "swizzle-prevented": "Matrix operand that is not swizzled",
}

#: The kinds of mismatch that a verification tells apart, by their detectors' codes.
SIGNATURES = {
    "never-written": "Elements that nobody wrote",
    "not-a-number": "NaN or infinity",
    "zero": "Zeros instead of results",
    "k-step": "A wrong sum along K",
    "operand-stays": "An operand that does not move along K",
    "operand-transposed": "A transposed operand",
    "sign": "A wrong sign",
    "scaled": "A constant factor",
    "transposed": "The transposed output",
    "shifted": "An index that is off by one",
    "other-tile": "Swapped blocks",
    "carried-over": "An accumulator that is not cleared",
    "offset": "A constant that is added",
    "scaled-by-row": "Rows that are not normalised alike",
    "scaled-by-column": "Columns that are not scaled alike",
    "offset-by-row": "A term of each row",
    "offset-by-column": "A term of each column",
    "constant": "One number everywhere",
    "only-tails": "A tail that is not handled",
    "diagonal": "A mask that is wrong at the diagonal",
    "bands": "A part of every tile",
    "rounded-through": "A type that is too narrow on the way",
    "rounding": "Precision",
}
