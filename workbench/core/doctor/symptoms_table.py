"""The symptoms that people come with: words for them, how to confirm them, and their causes."""

from __future__ import annotations

from workbench.core.doctor.rule_table import rule
from workbench.core.doctor.symptoms_causes import NEEDS, SIGNATURES, TITLES
from workbench.core.doctor.symptoms_model import Cause, Need, Step, Symptom

_ALIASES = {
    "shared-memory-over-limit": ("shared-memory-limit",),
    # The hint from the source, where no run has shown it.
    "epsilon-missing": ("epsilon-advised",),
}

_CHECK = Step("Let every stage look, the simulator's checks too", "check FILE", "problems")
_LOWER = Step("Lower it, without a simulation", "check FILE --until lower", "problems")
_VERIFY = Step("Compare every element with the reference", "verify FILE", "verification")
_RESOURCES = Step(
    "Read bytes, registers and occupancy for each target", "analyze FILE", "code"
)  # fmt: skip
_ACCESSES = Step(
    "Count the wavefronts of every access, line by line", "analyze FILE --json", "code"
)  # fmt: skip


def _cause(code: str, why: str) -> Cause:
    known = rule(code)
    title = known.title if known is not None else TITLES[code]
    return Cause(code, title, why, NEEDS[code], False, _ALIASES.get(code, ()))


def _kind(code: str, why: str) -> Cause:
    """A kind of mismatch that the verification tells apart."""
    return Cause(code, SIGNATURES[code], why, (Need.COMPARISON,), True)


def _causes(**whys: str) -> tuple[Cause, ...]:
    """Rules by their codes with _ for -, those that are the likeliest first."""
    return tuple(_cause(name.replace("_", "-"), why) for name, why in whys.items())


def _kinds(**whys: str) -> tuple[Cause, ...]:
    return tuple(_kind(name.replace("_", "-"), why) for name, why in whys.items())


_SHARED_EXCEEDED = Symptom(
    "shared-memory-exceeded",
    "Shared memory exceeded",
    "A block asks for more shared memory than the GPU gives one: the launch fails, or the kernel "
    "never runs.",
    (
        "out of shared memory", "too much shared memory", "shared memory exceeded", "smem limit",
        "dynamic shared memory", "exceeds the limit", "launch failed", "invalid argument launch",
        "cudaFuncSetAttribute", "ptxas uses too much shared data", "LDS over 64 KiB",
        "out of resource", "does not fit", "block too large", "num_stages too many",
        "cuda error invalid value", "invalid value",
        "failed to set the allowed dynamic shared memory size",
    ),
    (_RESOURCES, _LOWER),
    _causes(
        shared_memory_over_limit="All shared tiles of a block together, times the stages of its "
        "pipelines, are over the limit of the target.",
        pipeline_depth="Every stage keeps each pipelined tile once more.",
        tile_size="Tiles grow with block_M, block_N and block_K, shared memory with them.",
        sibling_pipelines_mismatch="A tile that two pipelines share is kept for the deeper one.",
        unused_buffer="A buffer that nothing uses costs nothing once lowered: it is none of the "
        "bytes, and may go.",
    ),
)  # fmt: skip

_SHAPES = Symptom(
    "shape-mismatch",
    "Shape mismatch",
    "Extents of tiles, tensors or arguments do not go together, and TileLang refuses the kernel "
    "or the call.",
    (
        "shape mismatch", "dimension mismatch", "dimensions do not match", "wrong shape",
        "size mismatch", "rank", "ndim", "K mismatch", "gemm shape check failed",
        "transpose_A transpose_B", "wrong number of arguments", "expected shape", "out_idx",
        "cannot be divided", "not divisible", "warp partition", "extents", "incompatible",
        "index out of range dimension", "kernel expects inputs", "layout inference failed",
    ),
    (_LOWER, Step("See the shape and layout of a buffer: point at its name", None, None)),
    _causes(
        gemm_shape_mismatch="The operands of a product do not agree in M, N or K.",
        wrong_transpose="An operand is stored the other way round than the product takes it.",
        rank_mismatch="An index or a reduction has another number of dimensions than its buffer.",
        copy_shape_mismatch="The two sides of a copy have different extents.",
        out_idx_misuse="out_idx takes tensors out of the call, so the arguments shift.",
        warp_partition_illegal="The tile of a product cannot be divided among the warps.",
        tensor_core_shape_illegal="A tile is smaller than a matrix instruction.",
        unaligned_block_k="K of the tile ends inside a matrix instruction.",
        layout_not_found="The extent of a fragment does not divide among the threads.",
        layout_conflict="Two operations want one fragment divided in two ways.",
        symbolic_tile="A tile's extent is known at run time only.",
        index_beyond_fragment="A loop runs past the extent of the tile that it indexes.",
        tile_outside="A copied tile lies outside its tensor.",
        metadata_unknown_argument="A case names an argument that the kernel has not.",
    ),
)  # fmt: skip

_ZEROS = Symptom(
    "all-zeros",
    "Results are all zeros",
    "The kernel runs without a word and its result is zero, or what the memory held before.",
    (
        "zeros", "all zeros", "only zeros", "returns zero", "output is zero", "result is 0",
        "empty output", "nothing written", "output unchanged", "not written", "no effect",
        "blank", "zero tensor", "kernel does nothing", "output stays the same",
    ),
    (_VERIFY, _CHECK),
    (
        *_causes(
            output_not_covered="Nothing stores the result, or the grid ends before the tensor.",
            unused_buffer="The tile that should be stored is never used.",
            out_idx_misuse="The kernel writes one tensor and the call returns another.",
            shared_memory_over_limit="A block over the limit is not launched: the output stays as "
            "it was.",
            threads_over_limit="A block of too many threads is not launched.",
            target_unsupported="The target has no such instruction, and the launch fails.",
            out_of_bounds_read="Guarded reads outside a tensor give 0.",
            block_smaller_than_warp="Instructions that elect one thread of a warp do nothing in "
            "a part of one.",
            uninitialized_read="What was never written is often 0.",
            block_race="The block that writes last may have nothing but zeros.",
        ),
        *_kinds(
            zero="The wrong elements are 0 where the reference is not.",
            never_written="The wrong elements have the very bits from before the run.",
            constant="Every element is one number, whatever the inputs are.",
        ),
    ),
)  # fmt: skip

_NAN = Symptom(
    "nan-or-inf",
    "NaN or Inf",
    "Elements of the result are no number or infinite where the reference has numbers.",
    (
        "nan", "nans", "inf", "infinity", "not a number", "infinite", "overflow", "loss is nan",
        "division by zero", "divide by 0", "exp overflow", "65504", "sqrt of negative",
        "blows up", "explodes", "diverges", "softmax nan", "rsqrt", "log of zero", "-inf",
    ),
    (_VERIFY, _CHECK),
    (
        *_causes(
            nan_source="An operation gives NaN or Inf from numbers: exp without the maximum taken "
            "off, or a type that ends too early.",
            epsilon_missing="A row of zeros is divided by its own norm or sum.",
            gemm_uninitialized_accumulator="Registers that nothing has set hold any bits, NaN too.",
            uninitialized_read="Shared memory and registers hold any bits, NaN too.",
            online_softmax="A running maximum or sum that is not kept gives Inf - Inf or 0 / 0.",
            boundary_padding="Elements past the end read as 0 and count in a maximum or a sum.",
            low_precision_accumulator="A float16 sum overflows at 65504.",
            low_precision_arithmetic="A float16 intermediate overflows at 65504.",
            narrow_overflow="A value does not fit the type that it is put into.",
            output_not_covered="Memory that no block writes may hold NaN.",
            out_of_bounds_read="A read of shared memory past its end gives any bits.",
        ),
        *_kinds(not_a_number="The wrong elements are NaN or infinite."),
    ),
)  # fmt: skip

_SLOW = Symptom(
    "low-throughput",
    "Low throughput",
    "The kernel is right and slow: far from the peak of the matrix units or of the memory.",
    (
        "slow", "low throughput", "performance", "low tflops", "bandwidth", "low utilization",
        "slower than cublas", "slower than torch", "inefficient", "not fast enough", "speed",
        "takes too long", "optimize", "memory bound", "latency", "stalls", "l2 cache", "tuning",
        "tensor cores not used", "gb/s",
    ),
    (
        Step("Read the predicted time and what bounds it", "analyze FILE", "code"),
        Step("Count sectors and wavefronts, line by line", "analyze FILE --json", "code"),
    ),
    _causes(
        missing_pipelining="Copies and products take turns instead of running side by side.",
        pipeline_depth="With too few tiles in flight the products wait for the memory.",
        uncoalesced_access="A warp moves more sectors than the bytes it uses.",
        narrow_access="Accesses of fewer bytes take more instructions for the same data.",
        bank_conflict="Lanes take turns at a bank of shared memory.",
        low_occupancy="Too few warps are resident to hide each other's waiting.",
        grid_too_small="Multiprocessors without a block do nothing.",
        tail_wave="The last wave of blocks leaves most multiprocessors idle.",
        register_spill="Registers that do not fit are kept in memory as slow as global.",
        target_unsupported="Without the matrix instruction the product is scalar code.",
        tile_size="Small tiles load each operand more often for the same work.",
        missing_swizzle_l2="Blocks that run together share little of the L2 cache.",
        fragment_replicated="Each thread computes and keeps the same values.",
        idle_threads="Threads without work take registers and issue slots.",
        block_smaller_than_warp="Lanes without a thread do nothing in every instruction.",
        warp_policy="Warps that share a row exchange what one warp would have alone.",
        swizzle_prevented="A matrix operand that is not swizzled is read with bank conflicts.",
    ),
)  # fmt: skip

_OCCUPANCY = Symptom(
    "low-occupancy",
    "Low occupancy",
    "Few warps are resident on a multiprocessor, so nothing runs while they wait.",
    (
        "occupancy", "low occupancy", "few warps", "resident blocks", "one block per sm",
        "active warps", "register pressure", "too many registers", "achieved occupancy",
        "limited by registers", "limited by shared memory", "waves per sm", "idle sm",
        "spilling", "theoretical occupancy", "multiprocessors idle",
    ),
    (_RESOURCES,),
    _causes(
        low_occupancy="One resource of the multiprocessor is used up by few blocks.",
        pipeline_depth="Every stage takes shared memory that another block could have.",
        tile_size="Large tiles take the registers and the shared memory of several blocks.",
        register_spill="The threads want more registers than there are.",
        registers_over_limit="The fragments alone take more registers than a thread can have.",
        fragment_replicated="Copies of a fragment take registers in every thread.",
        grid_too_small="There are fewer blocks than multiprocessors, whatever would fit.",
        tail_wave="Most multiprocessors have no block in the last wave.",
        block_smaller_than_warp="A block of few threads takes a place that a larger one could use.",
        shared_memory_over_limit="A block that does not fit at all is not resident anywhere.",
        setmaxnreg_over_budget="A warp group waits for registers that others hold.",
    ),
)  # fmt: skip

_BANKS = Symptom(
    "bank-conflicts",
    "Bank conflicts",
    "Lanes of a warp reach for different words of one bank of shared memory and take turns.",
    (
        "bank conflict", "bank conflicts", "shared memory conflicts", "l1tex data bank conflicts",
        "wavefronts", "serialized shared accesses", "n-way conflict", "padding", "swizzle",
        "transposed tile", "ldmatrix conflicts", "stride of 32",
    ),
    (_ACCESSES,),
    _causes(
        bank_conflict="The addresses of a warp's lanes fall into one bank.",
        swizzle_prevented="A matrix operand lies in plain rows, whose columns share banks.",
        layout_not_injective="A swizzle made by hand that is no swizzle.",
        narrow_access="Rows of an odd length break accesses up, and shift the banks.",
    ),
)  # fmt: skip

_WRONG = Symptom(
    "wrong-results",
    "Wrong results",
    "The kernel runs, and numbers of its result differ from the reference.",
    (
        "wrong result", "wrong results", "incorrect", "mismatch", "does not match reference",
        "assert_close failed", "allclose false", "inaccurate", "precision", "garbage",
        "differs from torch", "random values", "non-deterministic", "nondeterministic",
        "flaky", "changes every run", "race", "off by one", "numerical error", "hangs",
        "deadlock", "never ends", "bad output", "tolerance",
        "tensor likes are not close", "not close", "illegal memory access", "differs", "varies",
    ),
    (_VERIFY, _CHECK),
    (
        *_causes(
            gemm_uninitialized_accumulator="The sum starts from what the registers held.",
            low_precision_accumulator="A sum in 16 bits loses the small terms.",
            wrong_transpose="An operand is taken the wrong way round.",
            output_not_covered="A part of the result is written by nobody.",
            block_race="Blocks overwrite one another in any order.",
            parallel_race="Threads update one element at once.",
            out_of_bounds_read="A read outside a tensor gives 0, outside shared memory anything.",
            out_of_bounds_write="A write past a buffer's end lands in another one.",
            uninitialized_read="What is read was never written.",
            online_softmax="Sums against an older maximum are not rescaled.",
            unscaled_scores="The softmax of attention gets other scores than the reference's.",
            boundary_padding="Elements past the end read as 0 and count in a maximum or a sum.",
            nan_source="A NaN or Inf on the way spoils what is made of it.",
            epsilon_missing="A division by 0 on the way.",
            pipeline_hazard="A copy is read before it has landed.",
            stage_overwritten="A copy lands on a tile that is still read.",
            initialization_moved="What is set before a pipelined loop is set again, or too late.",
            thread_index_too_large="Threads that only copy store where the others do not.",
            im2col_bounds="The copy engine gathers pixels past the end of a row.",
            shared_memory_race="Threads use shared memory without a barrier between.",
            noncontiguous_bulk_copy="A bulk copy takes the padding for data.",
            fragment_two_index_maps="A thread needs an element that another thread has.",
            fragment_serial_access="A serial loop runs over what other threads hold.",
            layout_not_injective="Two elements have one address.",
            index_beyond_fragment="A loop runs past the extent of a tile.",
            tile_outside="A tile lies outside its tensor.",
            partial_tile="A tile reaches past the end of its tensor.",
            low_precision_arithmetic="A step on the way is computed in 16 bits.",
            narrow_overflow="A value does not fit the type that it is put into.",
            sibling_pipelines_mismatch="Two pipelines of different depth share a tile.",
            block_smaller_than_warp="Elected threads and shuffles expect whole warps.",
            out_idx_misuse="The kernel writes one tensor and the call returns another.",
            barrier_divergence="Not all threads reach a barrier.",
            barrier_deadlock="A barrier waits for what never comes: the kernel hangs.",
            mbarrier_arrival_count="A barrier opens too early or never.",
            mbarrier_transaction_bytes="A barrier waits for other bytes than are copied.",
            mbarrier_not_initialised="A barrier is used before it is set up.",
            setmaxnreg_over_budget="A warp group waits for registers for ever.",
            reference_mismatch="The result differs, and no rule says why.",
        ),
        *_kinds(
            k_step="The sum along K has a step too many or too few.",
            operand_stays="An operand's tile does not move along K.",
            operand_transposed="The result is that of a transposed operand.",
            sign="The result has the wrong sign.",
            scaled="The result is off by one factor everywhere.",
            transposed="The result is the transposed one.",
            shifted="The result is moved by an element or a few.",
            other_tile="Blocks have written each other's tiles.",
            carried_over="A tile has the sum of the one before in it.",
            offset="The result is off by one constant everywhere.",
            scaled_by_row="Rows are off by a factor each.",
            scaled_by_column="Columns are off by a factor each.",
            offset_by_row="Rows are off by a constant each.",
            offset_by_column="Columns are off by a constant each.",
            constant="Every element is one number.",
            zero="The wrong elements are 0.",
            never_written="The wrong elements were written by nobody.",
            not_a_number="The wrong elements are NaN or infinite.",
            only_tails="Only elements past the last whole tile are wrong.",
            diagonal="Only elements at the diagonal are wrong.",
            bands="The same part of every tile is wrong.",
            rounded_through="The error is that of a narrower type on the way.",
            rounding="The error is one of rounding.",
        ),
    ),
)  # fmt: skip

SYMPTOMS = (_SHARED_EXCEEDED, _SHAPES, _ZEROS, _NAN, _SLOW, _OCCUPANCY, _BANKS, _WRONG)

_BY_ID = {record.id: record for record in SYMPTOMS}


def symptom(identifier: str) -> Symptom:
    """The symptom of an id. Raises KeyError."""
    return _BY_ID[identifier]
