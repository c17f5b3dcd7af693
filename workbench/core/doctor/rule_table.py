"""The table of all rules: one record a code, with its check, its hardware rule and its source."""

from __future__ import annotations

from workbench.core.diagnostics import Severity
from workbench.core.doctor.checks import (
    accumulators,
    buffers,
    fragments,
    gathers,
    launches,
    layouts,
    loops,
    outputs,
    preludes,
    products,
    removed,
    scores,
    softmax,
    support,
    thread_stores,
)
from workbench.core.doctor.guidelines import (
    boundaries,
    divisions,
    pipelines,
    policies,
    swizzles,
    tiles,
)
from workbench.core.doctor.rules import Group, Rule, Stage

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
_LINT, _LOWER, _RESOURCES = Stage.LINT, Stage.LOWER, Stage.RESOURCES
_ANALYSIS, _SIMULATE = Stage.ANALYSIS, Stage.SIMULATE
_GUIDELINE = Group.GUIDELINE
_TILELANG = "TileLang 0.1.15"
_GUIDE = "NVIDIA, CUDA C++ Programming Guide 13.0"
_BEST = "NVIDIA, CUDA C++ Best Practices Guide 13.0"
_PTX = "NVIDIA, PTX ISA 9.0"

_LINT_RULES = (
    Rule(
        "python-error", _ERROR, _LINT, "Not valid Python",
        "Python cannot read the file, so no kernel can be found in it.",
        "Python, The Python Language Reference",
    ),
    Rule(
        "no-kernel-found", _ERROR, _LINT, "No kernel in the file",
        "A kernel is a function with tilelang.jit or T.prim_func at the file's top level, or one "
        "that returns such a function.",
        _TILELANG,
    ),
    Rule(
        "removed-api", _ERROR, _LINT, "Name of an older TileLang",
        "Names and keywords of TileLang have changed between releases, and many texts show the "
        "older ones.",
        f"each name tried on {_TILELANG}",
        document_check=removed.removed_api, safe=True,
    ),
    Rule(
        "gemm-uninitialized-accumulator", _ERROR, _LINT, "Accumulator never cleared",
        "A matrix instruction computes D = A * B + C with C in the same registers, and registers "
        "hold what the last program left in them until something is written.",
        f"{_PTX}, mma and wgmma.mma_async; {_TILELANG}, T.gemm adds unless clear_accum is true",
        check=accumulators.uninitialized, safe=True,
    ),
    Rule(
        "low-precision-accumulator", _WARNING, _LINT, "Sum kept in 16 bits",
        "float16 has 11 bits of significand and ends at 65504, bfloat16 has 8 bits: a sum of many "
        "terms loses the small ones. The matrix units sum in float32 at no cost on most GPUs.",
        "IEEE 754-2019, binary16",
        check=accumulators.low_precision, safe=True,
    ),
    Rule(
        "gemm-shape-mismatch", _ERROR, _LINT, "Operands do not fit each other",
        "A product of (M, K) and (K, N) gives (M, N). transpose_A and transpose_B say that an "
        "operand is stored the other way round.",
        f"{_TILELANG}, T.gemm",
        check=products.shape_mismatch, safe=True,
    ),
    Rule(
        "wrong-transpose", _ERROR, _LINT, "Operand multiplied the wrong way round",
        "A square tile fits with and without its transposition, and nothing but the numbers shows "
        "which was meant.",
        f"{_TILELANG}, T.gemm",
        check=products.wrong_transpose, safe=True,
    ),
    Rule(
        "out-idx-misuse", _ERROR, _LINT, "out_idx does not go with the kernel",
        "The parameters that out_idx names are allocated and returned by the compiled kernel and "
        "are no arguments of the call.",
        f"{_TILELANG}, tilelang.jit",
        check=outputs.out_idx_misuse, safe=True,
    ),
    Rule(
        "output-not-covered", _ERROR, _LINT, "Result not written everywhere",
        "Memory of a result is allocated and not cleared: what no block writes keeps what was "
        "there before.",
        f"{_TILELANG}, tilelang.jit allocates with torch.empty",
        check=buffers.not_covered,
    ),
    Rule(
        "unused-buffer", _WARNING, _LINT, "Buffer never used",
        "TileLang drops a buffer that nothing uses when it lowers, so it costs nothing and says "
        "something untrue.",
        _TILELANG,
        check=buffers.unused, safe=True,
    ),
    Rule(
        "rank-mismatch", _ERROR, _LINT, "Wrong number of dimensions",
        "A reduction takes its dimension away, and an index has one number a dimension.",
        f"{_TILELANG}, T.reduce",
        check=buffers.rank_mismatch, safe=True,
    ),
    Rule(
        "warp-partition-illegal", _ERROR, _LINT, "Tile cannot be divided among the warps",
        "A product's tile is divided among all warps of the block, and each owns whole tiles of "
        "the matrix instruction: 16 rows by 8 columns.",
        f"{_PTX}, mma.m16n8; {_TILELANG}, T.gemm",
        check=products.warp_partition, safe=True,
    ),
    Rule(
        "tensor-core-shape-illegal", _ERROR, _LINT, "Tile smaller than the matrix instruction",
        "The matrix instructions work on 16 rows and at least 8 columns.",
        f"{_PTX}, mma.m16n8",
        check=products.tensor_core_shape,
    ),
    Rule(
        "unaligned-block-k", _ERROR, _LINT, "K is no multiple of the instruction's",
        "An instruction takes 256 bits of K from each row: 16 values of 16 bits, 32 of 8 bits.",
        f"{_PTX}, mma.m16n8k16 and mma.m16n8k32; {_TILELANG}",
        check=products.unaligned_k,
    ),
    Rule(
        "fragment-two-index-maps", _ERROR, _LINT, "A fragment's element needed in two threads",
        "A fragment is spread over the registers of the block's threads, and a thread reads its "
        "own registers alone.",
        f"{_TILELANG}, layout inference",
        check=fragments.two_index_maps,
    ),
    Rule(
        "fragment-serial-access", _ERROR, _LINT, "Serial loop over a fragment",
        "A fragment is spread over the registers of the block's threads, and a serial loop runs "
        "in each of them.",
        f"{_TILELANG}, layout inference",
        check=fragments.serial_access,
    ),
    Rule(
        "layout-not-injective", _ERROR, _LINT, "Two elements at one address",
        "A layout says where each element lies, so no two may share a place.",
        f"{_TILELANG}, T.annotate_layout",
        check=layouts.not_injective,
    ),
    Rule(
        "block-smaller-than-warp", _WARNING, _LINT, "Block ends inside a warp",
        "Instructions are issued for whole warps (wavefronts of 64 on AMD's data-centre GPUs): "
        "lanes without a thread do nothing.",
        f"{_GUIDE}, SIMT Architecture",
        check=launches.partial_warp, safe=True,
    ),
    Rule(
        "threads-over-limit", _ERROR, _LINT, "More threads than a block can have",
        "A block of more threads than the GPU's limit is not launched.",
        f"{_GUIDE}, Technical Specifications per Compute Capability",
        check=launches.too_many_threads, safe=True,
    ),
    Rule(
        "missing-pipelining", _WARNING, _LINT, "Copies and products take turns",
        "Asynchronous copies run beside the matrix units; a pipelined loop keeps num_stages tiles "
        "in flight at the price of as much shared memory.",
        f"{_BEST}, Asynchronous Copy; {_TILELANG}, T.Pipelined",
        check=loops.missing_pipelining, group=_GUIDELINE,
    ),
    Rule(
        "sibling-pipelines-mismatch", _ERROR, _LINT, "Pipelines of different depth share a tile",
        "A tile of a pipeline is kept once for each stage, and it has one shape in the kernel.",
        _TILELANG,
        check=loops.sibling_pipelines, safe=True,
    ),
    Rule(
        "initialization-moved", _ERROR, _LINT, "Set again in front of the pipelined loop",
        "Where copies are by TMA, TileLang gives them warps of their own, and what was set in "
        "registers before goes into the branch that reads it, directly in front of the loop: from "
        "the scopes around the loop last.",
        f"{_TILELANG}, producer_consumer_ws.cc; seen in what it lowers",
        check=preludes.moved, safe=True,
    ),
    Rule(
        "thread-index-too-large", _ERROR, _LINT, "Threads that only copy store too",
        "Where copies are by TMA, TileLang gives them threads of their own beside those of "
        "T.Kernel. Statements before the loop are run by all of them, and their index is not "
        "shifted there.",
        f"{_TILELANG}, producer_consumer_ws.cc; seen in what it lowers",
        check=thread_stores.unshifted, safe=True,
    ),
    Rule(
        "im2col-bounds", _ERROR, _LINT, "TMA walks past the end of a row of pixels",
        "A gather by TMA goes on in the next row of pixels where a box ends that is told when the "
        "tensor map is made. TileLang makes it of the padding alone, which fits filters that keep "
        "the size of the image.",
        f"{_TILELANG}, Im2Col::Lower; NVIDIA, CUDA Driver API, cuTensorMapEncodeIm2col",
        check=gathers.im2col_bounds,
    ),
    Rule(
        "missing-swizzle-l2", _INFO, _LINT, "Blocks run row by row",
        "Blocks that run at one time share operands in the L2 cache if they lie near each other "
        "in both directions of the result.",
        f"{_BEST}, L2 Cache; {_TILELANG}, T.use_swizzle",
        check=launches.missing_swizzle, group=_GUIDELINE,
    ),
    Rule(
        "target-unsupported", _ERROR, _LINT, "The target lacks an instruction",
        "Formats of the matrix units and asynchronous copies came with GPU generations.",
        f"{_PTX}, target notes of the instructions",
        check=support.unsupported,
    ),
    Rule(
        "online-softmax", _ERROR, _LINT, "Running sums not rescaled",
        "When the running maximum grows, everything summed against the old one shrinks by "
        "exp(old - new).",
        "Milakov and Gimelshein, Online normalizer calculation for softmax, 2018",
        check=softmax.rescaling,
    ),
    Rule(
        "unscaled-scores", _WARNING, _LINT, "Scores not scaled as the reference does",
        "Attention divides its scores by the root of the head's size: without that a softmax puts "
        "nearly all weight on one key.",
        "Vaswani et al., Attention Is All You Need, 2017; the document's own reference",
        check=scores.unscaled_scores,
    ),
)  # fmt: skip

_GUIDELINE_RULES = (
    Rule(
        "pipeline-depth", _INFO, _LINT, "Stages of the pipeline",
        "A pipelined loop keeps each tile once a stage where copies are asynchronous. Two to four "
        "stages are usual: more where the memory is the limit, fewer where shared memory is short.",
        f"{_BEST}, Asynchronous Copy; {_TILELANG}, T.Pipelined",
        check=pipelines.pipeline_depth, group=_GUIDELINE,
    ),
    Rule(
        "swizzle-prevented", _INFO, _LINT, "Matrix operand that is not swizzled",
        "T.gemm swizzles its operands in shared memory itself. A layout that is annotated stands "
        "in place of that, and rows one after the other begin in the same banks.",
        f"{_BEST}, Shared Memory and Memory Banks; {_TILELANG}, T.gemm",
        check=swizzles.swizzle_prevented, group=_GUIDELINE,
    ),
    Rule(
        "tile-size", _INFO, _LINT, "Tile smaller than the target can use",
        "A tile of M x N loads M + N values for M x N products a step of K: the larger, the fewer "
        "loads. 128 x 128 x 32 is usual on A100, up to 256 x 128 with four stages on H100, and "
        "128 x 128 within 64 KiB of LDS on MI300X.",
        f"{_TILELANG}, examples of T.gemm",
        check=tiles.tile_size, group=_GUIDELINE,
    ),
    Rule(
        "warp-policy", _INFO, _LINT, "Warps share rows that are reduced",
        "Between the two products of attention rows are reduced. FullRow gives each warp whole "
        "rows; where the rows are few and the output is wide, as in MLA decoding, FullCol gives "
        "each warp columns.",
        f"{_TILELANG}, T.GemmWarpPolicy, examples of attention and of MLA decoding",
        check=policies.warp_policy, group=_GUIDELINE,
    ),
    Rule(
        "epsilon-advised", _INFO, _LINT, "Nothing keeps a divisor from 0",
        "rsqrt(0) is Inf, and 0 / 0 is NaN: norms and scales of a row of zeros are 0.",
        "IEEE 754-2019",
        check=divisions.epsilon_advised, group=_GUIDELINE,
    ),
    Rule(
        "boundary-padding", _INFO, _LINT, "Zeros past the end of a row count",
        "T.copy gives 0 for what lies outside a tensor. That is neutral in a sum, and neither in a "
        "maximum nor in a sum of exponentials.",
        f"{_TILELANG}, T.copy and T.annotate_safe_value",
        check=boundaries.boundary_padding, group=_GUIDELINE,
    ),
)  # fmt: skip

_LATER_RULES = (
    Rule(
        "uninitialized-read", _ERROR, _LOWER, "Read before anything was written",
        "Shared memory and registers are not cleared at launch.",
        f"{_GUIDE}, Shared Memory",
    ),
    Rule(
        "out-of-bounds-read", _ERROR, _LOWER, "Read outside a buffer",
        "TileLang guards reads of global memory, which then give 0, and none of shared memory.",
        _TILELANG,
    ),
    Rule(
        "out-of-bounds-write", _ERROR, _SIMULATE, "Write outside a buffer",
        "A write of shared memory past a buffer's end lands in the next one.",
        _TILELANG,
    ),
    Rule(
        "layout-conflict", _ERROR, _LOWER, "Two operations want different layouts",
        "Each operation on a fragment needs its elements in certain threads, and one fragment has "
        "one layout.",
        f"{_TILELANG}, layout inference",
    ),
    Rule(
        "layout-not-found", _ERROR, _LOWER, "Extent does not divide among the threads",
        "A fragment's elements are divided evenly among the threads of the block.",
        f"{_TILELANG}, layout inference",
    ),
    Rule(
        "bulk-copy-hint", _ERROR, _LOWER, "Bulk copy of one run asks something of L2",
        "A load that is one run of bytes needs no tensor map, and the form of it that TileLang has "
        "takes no hint to L2: nvcc finds no function that fits. Stores of one run and copies "
        "through a tensor map take one.",
        f"{_PTX}, cp.async.bulk; {_TILELANG}, tl_templates/cuda/copy_sm90.h",
        safe=True,
    ),
    Rule(
        "fragment-replicated", _WARNING, _ANALYSIS, "Each thread holds copies",
        "Where no even division exists, a fragment is kept several times over.",
        f"{_TILELANG}, layout inference",
    ),
    Rule(
        "idle-threads", _WARNING, _ANALYSIS, "Threads without work",
        "A loop's threads follow the layout of the fragments in it.",
        f"{_TILELANG}, layout inference",
    ),
    Rule(
        "shared-memory-over-limit", _ERROR, _RESOURCES, "More shared memory than a block can have",
        "A block that asks for more shared memory than the GPU gives one is not launched.",
        f"{_GUIDE}, Technical Specifications per Compute Capability",
    ),
    Rule(
        "registers-over-limit", _ERROR, _RESOURCES, "More registers than a thread can have",
        "A thread has at most 255 registers of 32 bits.",
        f"{_GUIDE}, Technical Specifications per Compute Capability",
    ),
    Rule(
        "register-spill", _WARNING, _RESOURCES, "Registers spill to memory",
        "What does not fit into registers is kept in local memory, which is as slow as global.",
        f"{_BEST}, Register Pressure",
    ),
    Rule(
        "setmaxnreg-over-budget", _ERROR, _RESOURCES, "Register split exceeds the budget",
        "A warp group that raises its registers waits until the SM has so many, for ever if the "
        "resident blocks hold them.",
        f"{_PTX}, setmaxnreg",
    ),
    Rule(
        "low-occupancy", _INFO, _ANALYSIS, "Few warps are resident",
        "Each of an NVIDIA multiprocessor's four schedulers issues from its own resident warps: "
        "while one waits, only another can work.",
        f"{_BEST}, Occupancy; {_GUIDE}, Hardware Multithreading",
    ),
    Rule(
        "grid-too-small", _INFO, _ANALYSIS, "Fewer blocks than multiprocessors",
        "A block runs on one multiprocessor from begin to end, so a launch of fewer blocks leaves "
        "others without work.",
        f"{_BEST}, Thread and Block Heuristics",
    ),
    Rule(
        "tail-wave", _INFO, _ANALYSIS, "The last wave is nearly empty",
        "Blocks run in waves of as many as are resident at once, and a last wave of few blocks "
        "takes as long as a full one.",
        f"{_BEST}, Thread and Block Heuristics",
    ),
    Rule(
        "bank-conflict", _WARNING, _ANALYSIS, "Lanes wait for one bank of shared memory",
        "Shared memory has 32 banks of 4 bytes; lanes at different words of one bank take turns.",
        f"{_BEST}, Shared Memory and Memory Banks",
    ),
    Rule(
        "narrow-access", _WARNING, _ANALYSIS, "Accesses narrower than they could be",
        "A thread moves up to 16 bytes an instruction where the address is a multiple of it. Below "
        "4 bytes a warp does not even fill a line of 128.",
        f"{_GUIDE}, Device Memory Accesses",
    ),
    Rule(
        "uncoalesced-access", _WARNING, _ANALYSIS, "A warp touches scattered memory",
        "Global memory is moved in sectors of 32 bytes: lanes that touch a sector each move eight "
        "times what they ask for, of 4 bytes.",
        f"{_BEST}, Coalesced Access to Global Memory",
    ),
    Rule(
        "pipeline-hazard", _ERROR, _ANALYSIS, "A pipelined loop overtakes itself",
        "An asynchronous copy may land before the tile that it overwrites was read.",
        f"{_PTX}, cp.async",
    ),
    Rule(
        "noncontiguous-bulk-copy", _ERROR, _ANALYSIS, "Bulk copy of a padded tile",
        "A bulk copy moves one run of bytes, and the rows of a padded tile are none.",
        f"{_PTX}, cp.async.bulk",
    ),
    Rule(
        "block-race", _ERROR, _SIMULATE, "Blocks overwrite one another",
        "Blocks run in any order, and the last write stays.",
        f"{_GUIDE}, Thread Hierarchy",
    ),
    Rule(
        "parallel-race", _ERROR, _SIMULATE, "Threads update one element at once",
        "Reading, adding and writing are three steps that threads interleave.",
        f"{_GUIDE}, Atomic Functions",
    ),
    Rule(
        "nan-source", _ERROR, _SIMULATE, "A value overflows or is no number",
        "exp overflows float32 above 88.7, and float16 ends at 65504.",
        "IEEE 754-2019",
    ),
    Rule(
        "epsilon-missing", _ERROR, _SIMULATE, "Division by what may be 0",
        "rsqrt(0) is Inf, and 0 * Inf is NaN.",
        "IEEE 754-2019",
    ),
    Rule(
        "reference-mismatch", _ERROR, _SIMULATE, "The result differs from the reference",
        "The kernel computes something else than the reference function.",
        "the document's own reference",
    ),
)  # fmt: skip

RULES = (*_LINT_RULES, *_GUIDELINE_RULES, *_LATER_RULES)


def rule(code: str) -> Rule | None:
    """The rule of a code, None where the table has none."""
    return _BY_CODE.get(code)


_BY_CODE = {record.code: record for record in RULES}
