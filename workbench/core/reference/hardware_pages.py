"""Makes a page for each family of hardware from the records of the targets and our own prose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.core import figures
from workbench.core.reference.model import (
    Bullets,
    Page,
    PageKind,
    Section,
    Table,
    Text,
)
from workbench.core.targets.model import Architecture, Feature, GpuModel, Number
from workbench.core.targets.table import TargetTable

# The limits in the order of a page: (field, what a person calls it, unit).
_LIMITS = (
    ("warp_size", "Threads of a warp", ""),
    ("max_threads_per_block", "Threads of a block", ""),
    ("max_threads_per_sm", "Threads resident on an SM", ""),
    ("max_warps_per_sm", "Warps resident on an SM", ""),
    ("max_blocks_per_sm", "Blocks resident on an SM", ""),
    ("subpartitions_per_sm", "Warp schedulers of an SM", ""),
    ("fp32_fma_per_clock_per_sm", "float32 FMA a clock and SM", ""),
    ("max_cluster_size", "Blocks of a cluster", ""),
    ("max_cluster_size_opt_in", "Blocks of a cluster, opted in", ""),
    ("registers_per_sm", "Registers of an SM", ""),
    ("max_registers_per_thread", "Registers of a thread", ""),
    ("max_vgprs_per_thread", "VGPRs of a thread", ""),
    ("max_agprs_per_thread", "AGPRs of a thread", ""),
    ("shared_bytes_per_sm", "Shared memory of an SM", "B"),
    ("shared_bytes_per_block", "Shared memory of a block", "B"),
    ("shared_bytes_per_block_opt_in", "Shared memory of a block, opted in", "B"),
    ("shared_bytes_reserved_per_block", "Shared memory that the driver takes of a block", "B"),
    ("shared_banks", "Banks of shared memory", ""),
    ("shared_bank_bytes", "Width of a bank", "B"),
    ("l1_bytes_per_sm", "L1 and shared memory together", "B"),
    ("tensor_memory_bytes_per_sm", "Tensor memory of an SM", "B"),
    ("max_barriers_per_block", "Barriers of a block", ""),
    ("cache_line_bytes", "Cache line", "B"),
    ("sector_bytes", "Sector of global memory", "B"),
    ("unified_buffer_bytes", "Unified buffer of a vector core", "B"),
    ("l1_buffer_bytes", "L1 buffer of a cube core", "B"),
    ("l0a_buffer_bytes", "L0A buffer", "B"),
    ("l0b_buffer_bytes", "L0B buffer", "B"),
    ("l0c_buffer_bytes", "L0C buffer", "B"),
    ("vector_cores_per_cube_core", "Vector cores of a cube core", ""),
)
_FEATURES = {
    Feature.MMA: "`mma`: tensor instructions of one warp",
    Feature.WGMMA: "`wgmma`: tensor instructions of four warps, operands in shared memory",
    Feature.TCGEN05: "`tcgen05`: tensor instructions of one thread, results in tensor memory",
    Feature.LDMATRIX: "`ldmatrix`: operand tiles from shared memory into registers",
    Feature.STMATRIX: "`stmatrix`: result tiles from registers into shared memory",
    Feature.CP_ASYNC: "`cp.async`: copies of 4, 8 or 16 bytes a thread that run beside",
    Feature.MBARRIER: "`mbarrier`: barriers in shared memory that count arrivals and bytes",
    Feature.TMA: "TMA: one thread starts the copy of a whole tile",
    Feature.CLUSTERS: "clusters: blocks that read one another's shared memory",
    Feature.SETMAXNREG: "`setmaxnreg`: warp groups hand registers over",
    Feature.PROGRAMMATIC_LAUNCH: "a kernel may begin while the one before ends",
    Feature.MFMA: "MFMA: matrix instructions of one wavefront",
    Feature.GLOBAL_TO_LDS: "copies from global memory straight to LDS, 4 bytes a lane",
    Feature.GLOBAL_TO_LDS_128: "copies from global memory straight to LDS, 16 bytes a lane",
    Feature.CUBE: "cube core: products of tiles from L0A and L0B into L0C",
    Feature.SIMDGROUP_MATRIX: "`simdgroup_matrix`: products of 8 by 8 tiles",
    Feature.BF16: "bfloat16 operands",
    Feature.TF32: "TF32 operands (float32 rounded to 10 bits)",
    Feature.FP64_TENSOR: "float64 operands",
    Feature.INT8_TENSOR: "int8 operands",
    Feature.INT4_TENSOR: "int4 operands",
    Feature.FP8_E4M3FN: "float8 operands of OCP: e4m3fn and e5m2",
    Feature.FP8_E4M3FNUZ: "float8 operands e4m3fnuz and e5m2fnuz: no negative zero, another bias",
    Feature.FP6: "6-bit operands",
    Feature.FP4: "4-bit operands",
}
_FORMATS = ("float64", "tfloat32", "float16", "bfloat16", "float8", "int8")
# The numbers of a product, as the limits above.
_PRODUCT = (
    ("sm_count", "Multiprocessors", ""),
    ("memory_bytes", "Memory", "B"),
    ("bandwidth_gb_s", "Bandwidth", "GB/s"),
    ("l2_bytes", "L2 cache", "B"),
    ("l3_bytes", "Infinity Cache", "B"),
    ("boost_clock_mhz", "Clock", "MHz"),
    *((f"tensor_tflops.{key}", f"Tensor peak, {key}", "TFLOP/s") for key in _FORMATS),
    ("vector_tflops.float32", "Vector peak, float32", "TFLOP/s"),
)


def hardware_pages(texts: Mapping[str, Text], table: TargetTable) -> tuple[Page, ...]:
    """A page for each text, which names the architectures that it is about in its head."""
    pages = [(_first(text, table), stem, text) for stem, text in texts.items()]
    places = {arch.name: place for place, arch in enumerate(table.architectures)}
    pages.sort(key=lambda page: places[page[0]])
    return tuple(_page(stem, text, table) for _, stem, text in pages)


def _first(text: Text, table: TargetTable) -> str:
    return table.architecture(text.words("architectures")[0]).name


def _page(stem: str, text: Text, table: TargetTable) -> Page:
    archs = [table.architecture(name) for name in text.words("architectures")]
    names = {arch.name for arch in archs}
    models = [model for model in table.models if model.arch in names]
    records: tuple[Architecture | GpuModel, ...] = (*archs, *models)
    sources = _Sources()
    sections = (
        *text.sections,
        *_generated(archs, models, sources),
        Section("Sources", (Bullets(tuple(sources.lines)),)),
    )
    known = [name for record in records for name in (record.name, record.title, *record.aliases)]
    return Page(
        f"{PageKind.HARDWARE.value}/{stem}",
        text.head["title"],
        PageKind.HARDWARE,
        text.head["summary"],
        sections if sources.lines else sections[:-1],
        names=tuple(dict.fromkeys((*known, *text.words("names")))),
        label=", ".join(arch.name for arch in archs),
    )


class _Sources:
    """Numbers the sources in the order in which they are first named."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, source: str) -> int:
        """The number of a source."""
        return self._numbers.setdefault(source, len(self._numbers) + 1)

    @property
    def lines(self) -> list[str]:
        """Each source with its number."""
        return [f"[{number}] {source}" for source, number in self._numbers.items()]


def _generated(
    archs: Sequence[Architecture], models: Sequence[GpuModel], sources: _Sources
) -> Iterator[Section]:
    limits = tuple(_limit_rows(archs, sources))
    if limits:
        header = ("Limit", *(arch.name for arch in archs), "Source")
        yield Section("Limits", (Table(header, limits),))
    features = tuple(_feature_rows(archs, sources))
    if features:
        header = ("Instruction or format", *(arch.name for arch in archs), "Source")
        yield Section("Instructions and formats", (Table(header, features),))
    if models:
        yield Section("Products", tuple(_model_tables(models, sources)))
    records: tuple[Architecture | GpuModel, ...] = (*archs, *models)
    notes = tuple(dict.fromkeys(note for record in records for note in _notes(record)))
    if notes:
        yield Section("Notes", (Bullets(notes),))


def _notes(record: Architecture | GpuModel) -> Iterator[str]:
    yield from record.notes
    yield from (note for note in record.aliases.values() if note)


def _limit_rows(archs: Sequence[Architecture], sources: _Sources) -> Iterator[tuple[str, ...]]:
    for name, label, unit in _LIMITS:
        numbers = [arch.number(name) for arch in archs]
        if any(number is not None for number in numbers):
            yield label, *(_shown(number, unit) for number in numbers), _cited(numbers, sources)


def _feature_rows(archs: Sequence[Architecture], sources: _Sources) -> Iterator[tuple[str, ...]]:
    for feature, label in _FEATURES.items():
        if any(arch.has(feature) for arch in archs):
            cited = {arch.sources.get(f"features.{feature.value}") for arch in archs}
            numbers = sorted(sources.number(source) for source in cited if source is not None)
            marks = ("yes" if arch.has(feature) else "\N{EN DASH}" for arch in archs)
            yield label, *marks, _brackets(numbers)


def _model_tables(models: Sequence[GpuModel], sources: _Sources) -> Iterator[Table]:
    """A column a product: there are more numbers than products."""
    header = ("Product", *(f"`{model.name}`" for model in models), "Source")
    rows = [("Name", *(model.title for model in models), "")]
    for name, label, unit in _PRODUCT:
        numbers = [model.number(name) for model in models]
        if any(number is not None for number in numbers):
            rows.append((label, *(_shown(n, unit) for n in numbers), _cited(numbers, sources)))
    yield Table(header, tuple(rows))


def _shown(number: Number | None, unit: str) -> str:
    """A number of a record; a dash where it is unknown or does not exist there."""
    value: Any = None if number is None else number.value
    if value is None or isinstance(value, tuple):
        return "\N{EN DASH}"
    return str(figures.figure(value, unit))


def _cited(numbers: Sequence[Number | None], sources: _Sources) -> str:
    return _brackets(sorted({sources.number(n.source) for n in numbers if n is not None}))


def _brackets(numbers: Sequence[int]) -> str:
    return " ".join(f"[{number}]" for number in numbers)
