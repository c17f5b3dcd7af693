"""The repository's kernel documents at sizes that a simulation takes well under a second for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import select
from workbench.core.jobs import KernelChoice, Source, VerifyRequest, VerifyResult
from workbench.core.targets.table import load_targets

ROOT = Path(__file__).parents[2]
_COUNTERS = "tests/data/counters/kernels"
_ATTENTION = "heads, length, dim = 8, 512, 64"

# What is replaced in a document's text: the line that holds its sizes.
_SIZES: dict[str, tuple[tuple[str, str], ...]] = {
    "async_copy_narrow_sm80": (("M, steps = 4096, 8", "M, steps = 256, 8"),),
    "atomic_f32_shared": (("G, N, bins = 64,", "G, N, bins = 4,"),),
    "atomic_i32_strided": (("G = 128", "G = 4"),),
    "attention_causal_sm90": ((_ATTENTION, "heads, length, dim = 3, 128, 64"),),
    "attention_d128_sm80": (
        ("heads, length, dim = 4, 512, 128", "heads, length, dim = 3, 128, 128"),
    ),
    "attention_sm90": ((_ATTENTION, "heads, length, dim = 3, 256, 64"),),
    "column_sum": (("M, N = 256, 4096", "M, N = 256, 128"),),
    "conv2d_sm90": (("= 2, 32, 32, 64, 128, 3, 1", "= 1, 8, 16, 32, 128, 3, 1"),),
    "copy_vectors_96": (("M, N = 1024, 384", "M, N = 16, 384"),),
    "cumsum_rows": (("M, N = 512, 256", "M, N = 32, 256"),),
    "dequant_int4": (("N, K = 1024, 1024", "N, K = 96, 256"),),
    "elementwise_ragged": (("M, N = 500, 1000", "M, N = 40, 300"),),
    "gather_shared": (
        ("G, N, size = 128,", "G, N, size = 4,"),
        ("randn(128, 512)", "randn(4, 512)"),
        ("(128, 1024)", "(4, 1024)"),
    ),
    "gemm_bias_epilogue_sm90": (("M = N = K = 512", "M, N, K = 128, 256, 192"),),
    "gemm_int8_sm90": (("M, N, K = 512, 512, 512", "M, N, K = 64, 128, 384"),),
    "gemm_nt_bf16_sm80": (("M, N, K = 512, 512, 512", "M, N, K = 128, 256, 192"),),
    "gemm_nt_bf16_sm90": (("M, N, K = 512, 1024, 512", "M, N, K = 128, 256, 192"),),
    "gemm_persistent_sm90": (
        ("M, N, K = 1024, 2048, 256", "M, N, K = 256, 192, 128"),
        ("blocks = 132", "blocks = 4"),
    ),
    "gemm_plain_layout_sm80": (("M = N = K = 256", "M, N, K = 128, 192, 256"),),
    "gemm_ragged_sm80": (("M, N, K = 500, 328, 200", "M, N, K = 100, 140, 72"),),
    "gemm_swizzled_grid_sm90": (("M, N, K = 1024, 1024, 256", "M, N, K = 128, 192, 256"),),
    "gemm_tf32_sm80": (("M, N, K = 256, 256, 256", "M, N, K = 128, 192, 64"),),
    "gemm_tf32_sm90": (("M, N, K = 512, 512, 256", "M, N, K = 256, 192, 96"),),
    "gemm_tn_sm90": (("M, N, K = 512, 1024, 512", "M, N, K = 256, 768, 96"),),
    "gemm_tn_unpipelined_sm80": (("M, N, K = 512, 512, 256", "M, N, K = 128, 192, 96"),),
    "gemm_tt_sm80": (("M, N, K = 512, 512, 256", "M, N, K = 192, 256, 96"),),
    "gemm_tt_sm90": (("M, N, K = 1024, 512, 512", "M, N, K = 512, 128, 192"),),
    "gemv_f16": (("N, K = 2048, 2048", "N, K = 32, 768"),),
    "gqa_decode_sm90": (("= 4, 32, 8, 1024, 128", "= 3, 8, 2, 192, 64"),),
    "half_vectors": (("M, N = 512, 1024", "M, N = 8, 1024"),),
    "histogram_shared": (("G, N, bins = 64,", "G, N, bins = 4,"), ("(64, 2048)", "(4, 2048)")),
    "layernorm_f32": (("M, N = 512, 2048", "M, N = 8, 2048"),),
    "rms_norm": (("args = { M = 1001,", "args = { M = 9,"),),
    "row_reductions": (("M, N = 1024, 2048", "M, N = 16, 2048"),),
    "softmax_online": (("args = { M = 509,", "args = { M = 5,"),),
    "strided_shared": (("M, N = 256, 2048", "M, N = 4, 2048"),),
    "strided_stores_96": (("M, N = 256, 480", "M, N = 4, 480"),),
    "transpose_f16_padded": (("M, N = 512, 512", "M, N = 64, 128"),),
    "transpose_f64": (("M, N = 512, 512", "M, N = 64, 96"),),
    "transpose_f64_padded": (("M, N = 512, 512", "M, N = 64, 96"),),
    "transpose_int8": (("M, N = 512, 512", "M, N = 64, 128"),),
}

# Arguments of documents that take their sizes as such, by path below the repository.
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "kernels/elementwise_add.py": {"M": 40, "N": 300},
    "kernels/gemm.py": {"M": 100, "N": 140, "K": 72, "block_M": 64, "block_N": 64, "block_K": 32},
    "kernels/rms_norm.py": {"M": 9, "N": 1024, "block_M": 4},
    "kernels/softmax.py": {"M": 5, "N": 768, "block_N": 256},
    "benchmarks/attention.py": {"batch": 1, "heads": 2, "sequence": 192, "dim": 64},
}


@dataclass(frozen=True)
class SmallKernel:
    """A document's text at a small size, and what it takes to verify it."""

    name: str
    text: str
    kernel: str
    style: str
    args: dict[str, Any]
    target: str
    reference: str
    rtol: float | None
    atol: float | None


def small_kernels() -> tuple[SmallKernel, ...]:
    """All documents, ordered by name; those of the counters' folder first."""
    counted = sorted((ROOT / _COUNTERS).glob("*.py"))
    others = [ROOT / path for path in _ARGUMENTS]
    return tuple(_small(path) for path in [*counted, *others, *sorted(produced())])


def produced() -> tuple[Path, ...]:
    """The documents that are here for their barriers."""
    return tuple((ROOT / "tests/data/mutations").glob("*.py"))


def _small(path: Path) -> SmallKernel:
    text = path.read_text(encoding="utf-8")
    for old, new in _SIZES.get(path.stem, ()) if path.parent.name == "kernels" else ():
        if _COUNTERS in path.as_posix():
            assert old in text, f"{path.name} no longer holds {old!r}"
            text = text.replace(old, new)
    selection = select(parse_document(text, path), None, None, {})[0]
    kernel, case = selection.kernel, selection.case
    relative = path.relative_to(ROOT).as_posix()
    return SmallKernel(
        path.stem if _COUNTERS in relative else relative,
        text,
        kernel.name,
        kernel.style.value,
        _ARGUMENTS.get(relative, dict(selection.args)),
        case.targets[0],
        selection.reference or "ref_program",
        case.rtol,
        case.atol,
    )


def built(small: SmallKernel, text: str, folder: Path) -> tuple[Any, Any]:
    """The PrimFunc of a text of the document, and the target that it was built for."""
    from workbench.engine import kernels, loading, lowering

    path = folder / "kernel.py"
    path.write_text(text, encoding="utf-8")
    target = lowering.tvm_target(load_targets().resolve(small.target))
    source = Source(str(path), text, str(folder), trusted=True)
    with target, loading.loaded(source) as module:
        choice = KernelChoice(small.kernel, small.style, small.args)
        return kernels.build(module, choice, target).func, target


def verified(small: SmallKernel, text: str, folder: Path, seed: int = 0) -> VerifyResult:
    """Verify a text of the document with all checks, in this process."""
    from workbench.engine.verify.job import verify

    path = folder / "kernel.py"
    path.write_text(text, encoding="utf-8")
    request = VerifyRequest(
        Source(str(path), text, str(folder), trusted=True),
        KernelChoice(small.kernel, small.style, small.args),
        load_targets().resolve(small.target).to_json(),
        small.reference,
        seeds=(seed,),
        rtol=small.rtol,
        atol=small.atol,
    )
    report: Callable[..., None] = lambda *_: None  # noqa: E731
    return verify(request, report)[0]
