"""What a worker is asked to do with a kernel, and what it answers, as frozen dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.core.diagnostics import Diagnostic
from workbench.core.reference.api_model import Api


@dataclass(frozen=True)
class Source:
    """A kernel document as the person sees it: its text, which may differ from the file's.

    `modules` are texts of modules that it imports, by path below a folder in which Python is to
    look first: they go along to a machine that has not got the workspace.
    """

    path: str
    text: str
    workspace: str
    trusted: bool = False
    modules: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class KernelChoice:
    """Which kernel of a document, how it is written, and the arguments it is built with."""

    name: str
    style: str
    args: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = None


@dataclass(frozen=True)
class CompileRequest:
    """Lower one kernel for one target; `emit` names what to return beside the status.

    `target` is the plain form of a `core.targets.Target`.
    """

    source: Source
    kernel: KernelChoice
    target: Mapping[str, Any]
    emit: tuple[str, ...] = ()
    machine_code: bool = False


@dataclass(frozen=True)
class Resources:
    """What the machine-code compiler reported for a kernel; None is unknown.

    `source` names the tool that said so. Bytes are a block's, registers a thread's; `barriers` are
    the numbered ones of PTX.
    """

    registers: int | None = None
    spill_bytes: int | None = None
    stack_bytes: int | None = None
    shared_static_bytes: int | None = None
    shared_dynamic_bytes: int | None = None
    source: str | None = None
    barriers: int | None = None


@dataclass(frozen=True)
class Failure:
    """Why a job or a result has no value.

    `kind` is "kernel" (the document is at fault), "environment", "timeout", "memory", "crash" or
    "internal"; `raw` is the untouched text of the tool that failed.
    """

    kind: str
    message: str
    raw: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class CompileResult:
    """The outcome of a CompileRequest; `emitted` maps an emit name to its text."""

    failure: Failure | None
    emitted: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    grid: tuple[int | None, ...] | None = None
    block: tuple[int | None, ...] | None = None
    resources: Resources | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    cached: bool = False
    versions: Mapping[str, str] = field(default_factory=dict)


#: The most cells of an error map along a side.
ERROR_MAP_CELLS = 256


@dataclass(frozen=True)
class VerifyRequest:
    """Run one kernel on `on` ("simulator", "cpu" or "local") and compare with its reference.

    `details` asks for what a picture of an output needs beside the error map: the values, which
    elements are wrong, and which block wrote them. `sample` runs so many of the blocks only, and
    compares what is theirs. `checks` has the simulator look at what the kernel does, beside what
    comes out, which takes up to 2.5 times as long.

    On "local", the GPU of number `device` of the worker's machine, `three_way` has the simulator
    run the same inputs and says which pairs agree, and `sanitize` names tools of compute-sanitizer
    ("memcheck", "racecheck", "initcheck", "synccheck") that watch a launch with the first seed.
    """

    source: Source
    kernel: KernelChoice
    target: Mapping[str, Any]
    reference: str | None
    on: str = "simulator"
    seeds: tuple[int, ...] = (0,)
    dims: Mapping[str, int] = field(default_factory=dict)
    rtol: float | None = None
    atol: float | None = None
    error_map_cells: int = ERROR_MAP_CELLS
    details: bool = False
    sample: int | None = None
    checks: bool = True
    three_way: bool = False
    sanitize: tuple[str, ...] = ()
    device: int = 0


@dataclass(frozen=True)
class WorstElement:
    """One element with its position; numbers that JSON lacks are the strings nan, inf, -inf."""

    index: tuple[int, ...]
    got: float | str
    expected: float | str


@dataclass(frozen=True)
class OutputBlocks:
    """How the blocks of a launch share an output: each wrote within one tile of a regular grid.

    `grid` are the extents of the launch, bx first; `tile` the length of a tile along each dimension
    of the output. `walks` names for each axis of the grid the output's dimension along which its
    index counts tiles: None where the axis has one block, or the blocks go another way.
    """

    grid: tuple[int, ...]
    tile: tuple[int, ...]
    walks: tuple[int | None, ...]


@dataclass(frozen=True)
class Signature:
    """What kind of wrong an output looks like, found by comparing it with what would explain it.

    `code` is stable, `title` names the kind; `sentence` says it with its evidence, and `hint` where
    such an error usually comes from. `explained` is the share of the `examined` elements that
    agree. `confidence` is "strong" (nearly all agree, chance would not give that), "likely", or
    "possible" (told from where errors lie or how large they are, not from values).
    """

    code: str
    title: str
    sentence: str
    hint: str
    confidence: str
    explained: float
    examined: int
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class OutputComparison:
    """One output against the reference. `total` counts the elements that were compared.

    `rel_fro` is the Frobenius norm of the error over that of the reference. `max_abs` and
    `max_rel` are over elements finite on both sides. An element is mismatched where
    |got - expected| > atol + rtol * |expected|, or where only one side is finite.
    `error_map` refers to a blob of float32: the largest error, divided by its tolerance, in each
    cell of a grid of `error_map_shape` laid over the output's last two dimensions.

    `max_share` is the largest error divided by its tolerance, over elements finite on both sides;
    None where the tolerance is 0. `signatures` say what kind of wrong it is, best first.

    The other blobs come with `VerifyRequest.details`. `got_blob` and `expected_blob`: all elements
    as float32 (at most 2^22 of them, for the first seed that passes and the first that fails).
    `wrong_blob`: one bit an element, the first in the highest bit of a byte (at most 2^26 elements,
    where any is wrong). `owners_blob`: int32 for each tile of `blocks`, the number of the block
    that wrote in it (bx counts fastest), -1 for none, -2 for several. All are little-endian, in
    C order.
    """

    index: int
    name: str
    shape: tuple[int, ...]
    dtype: str
    max_abs: float | None
    max_rel: float | None
    rel_fro: float | None
    mismatched: int
    total: int
    nonfinite: int
    rtol: float
    atol: float
    tolerance_source: str
    worst: tuple[WorstElement, ...] = ()
    error_map_shape: tuple[int, int] | None = None
    error_map_blob: int | None = None
    max_share: float | None = None
    got_blob: int | None = None
    expected_blob: int | None = None
    wrong_blob: int | None = None
    blocks: OutputBlocks | None = None
    owners_blob: int | None = None
    signatures: tuple[Signature, ...] = ()


@dataclass(frozen=True)
class SeedResult:
    """The comparison of every output for one seed."""

    seed: int
    passed: bool
    outputs: tuple[OutputComparison, ...]
    kernel_seconds: float
    reference_seconds: float


@dataclass(frozen=True)
class BlockSample:
    """How many of a launch's blocks were run, with each seed."""

    blocks_run: int
    blocks_total: int

    @property
    def text(self) -> str:
        """The words that stand wherever a verdict does."""
        return f"sampled {self.blocks_run:,} of {self.blocks_total:,} blocks"


@dataclass(frozen=True)
class ThreeWay:
    """Who is at fault, read off which of reference, simulator and device agree.

    `verdict` is "agree", "kernel", "device" (what was made of the tile program), "simulator",
    "tolerance" or "unclear"; `hint` says what to do, None where there is nothing to.
    """

    verdict: str
    sentence: str
    hint: str | None = None


@dataclass(frozen=True)
class VerifyResult:
    """The outcome of a VerifyRequest; `caveats` say what a pass does not cover.

    `sample` is None where all blocks were run; else nothing is said of the others. `three_way` is
    there where it was asked for and the simulator could run the kernel. `device` names the GPU, and
    `sanitized` maps each tool of compute-sanitizer to a sentence of what it found.
    """

    failure: Failure | None
    seeds: tuple[SeedResult, ...] = ()
    reference_method: str | None = None
    caveats: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    grid: tuple[int, ...] | None = None
    tile: tuple[int, ...] | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    sample: BlockSample | None = None
    three_way: ThreeWay | None = None
    device: str | None = None
    sanitized: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PassesRequest:
    """Lower one kernel for one target and keep what every compiler pass made of it."""

    source: Source
    kernel: KernelChoice
    target: Mapping[str, Any]


@dataclass(frozen=True)
class PassRecord:
    """One compiler pass, numbered from 0 in the order in which passes ended.

    `before_blob` and `text_blob` number the blobs that hold the module's text before and after it
    (UTF-8; equal texts are one blob); `text_blob` is None for a pass that failed. `side` is
    "module", and "host" or "device" once the module is split. A pass of `depth` above 0 is part
    of the next one of less depth. `seconds` includes its parts.
    """

    index: int
    name: str
    changed: bool
    before_blob: int
    text_blob: int | None
    seconds: float
    side: str = "module"
    depth: int = 0


@dataclass(frozen=True)
class PassesResult:
    """The outcome of a PassesRequest; `seconds["record"]` is what keeping the texts has cost."""

    failure: Failure | None
    passes: tuple[PassRecord, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class AnalyzeRequest:
    """Compute what one kernel asks of one target.

    `level` 1 reads the lowered IR alone; 2 compiles to machine code too, where that can be had.
    `carveout_bytes` is the shared memory of an SM that the driver chose; None: it is assumed.
    Without `line_details` the registers alive at each line are left out, a third of the time.
    """

    source: Source
    kernel: KernelChoice
    target: Mapping[str, Any]
    level: int = 2
    carveout_bytes: int | None = None
    line_details: bool = True


@dataclass(frozen=True)
class LinkedRequest:
    """Have every text of one kernel for one target with the document's line of each row.

    The answer is a `core.linked_code.LinkedResult`.
    """

    source: Source
    kernel: KernelChoice
    target: Mapping[str, Any]


@dataclass(frozen=True)
class RunScriptRequest:
    """Execute a script as a person would, or with `as_tests` run pytest over it, without a GPU.

    `args` are the words after the script's name (pytest's own options with `as_tests`), `cwd` the
    folder that it runs in. `target` is the GPU that the script believes to see. Without `execute`
    kernels are noted with their arguments, and launches do nothing; with `shapes_only` too, tensors
    have no memory either. `tuning_config` numbers the configuration that stands for the result of
    autotuning. With `checks` the simulator looks at what kernels do, beside what comes out. After
    `seconds` the script is ended and what is known by then returned; `memory_bytes` bounds what it
    may allocate.
    """

    source: Source
    target: Mapping[str, Any]
    args: tuple[str, ...] = ()
    cwd: str | None = None
    as_tests: bool = False
    execute: bool = True
    shapes_only: bool = False
    tuning_config: int = 0
    seconds: float | None = None
    memory_bytes: int | None = None
    checks: bool = False


@dataclass(frozen=True)
class ScriptKernel:
    """A kernel that a script built: where it is defined, and the arguments it was built with.

    `args` holds what JSON can hold, and the text of the rest, whose names are in `opaque`. `dims`
    are the dynamic sizes of the first launch; `seconds` is the simulator's time over all launches.
    """

    name: str
    file: str | None = None
    line: int | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    opaque: tuple[str, ...] = ()
    dims: Mapping[str, int] = field(default_factory=dict)
    launches: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class ScriptTest:
    """One test; `outcome` is "passed", "failed" or "skipped", `message` why where it says so.

    `lacking` marks a test that was skipped because something is missing here: a package, or an
    operation that cannot be simulated.
    """

    name: str
    outcome: str
    message: str | None = None
    file: str | None = None
    line: int | None = None
    seconds: float = 0.0
    lacking: bool = False


@dataclass(frozen=True)
class RunScriptResult:
    """The outcome of a RunScriptRequest; `finished` is False where the script was cut short.

    `mocked` maps each absent package that was imported to where ("file:line"). `caveats` say what
    a good result does not cover.
    """

    failure: Failure | None
    finished: bool = True
    kernels: tuple[ScriptKernel, ...] = ()
    launches: int = 0
    tests: tuple[ScriptTest, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    mocked: Mapping[str, str] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ConfigurationsRequest:
    """Run a document to learn what the `@autotune` decorator of one of its kernels tries.

    The kernel's arguments are what a function is given that makes the configurations.
    """

    source: Source
    kernel: KernelChoice


@dataclass(frozen=True)
class ConfigurationsResult:
    """The outcome of a ConfigurationsRequest; `opaque` has the arguments whose values JSON cannot
    hold, with their type: of those there is the text alone."""

    failure: Failure | None
    configurations: tuple[Mapping[str, Any], ...] = ()
    opaque: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ReferenceRequest:
    """Read the names of the installed TileLang; with `names` those alone."""

    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReferenceResult:
    """The outcome of a ReferenceRequest."""

    api: Api
    seconds: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
