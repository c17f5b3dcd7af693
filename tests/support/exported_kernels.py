"""Kernels whose launches differ, and what an export makes of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.core.documents.model import Document
from workbench.core.documents.reading import parse_document, read_document
from workbench.core.documents.selection import select
from workbench.core.exporting.model import ExportRequest, ExportResult
from workbench.core.plain import to_plain
from workbench.core.targets.table import load_targets
from workbench.session.exporting import Export, export_of, export_request
from workbench.session.requests import Item, source_of
from workbench.wire.events import Ended

SHIPPED = Path(__file__).resolve().parents[2] / "kernels"
_HEAD = "import tilelang\nimport tilelang.language as T\nimport torch\n\n\n"

DYNAMIC = f"""{_HEAD}@tilelang.jit(out_idx=[-1])
def dynamic(N=512, K=256, block=128):
    m = T.dynamic("m")

    @T.prim_func
    def main(
        A: T.Tensor((m, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((m, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(m, block), threads=128) as (bx, by):
            a = T.alloc_shared((block, 32), "float16")
            b = T.alloc_shared((32, block), "float16")
            c = T.alloc_fragment((block, block), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 32, num_stages=3):
                T.copy(A[by * block, k * 32], a)
                T.copy(B[k * 32, bx * block], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * block, bx * block])

    return main


def ref_program(A, B):
    return A @ B
"""

TWICE = f"""{_HEAD}@tilelang.jit
def twice(N=1024, parts=2):
    @T.prim_func
    def main(
        A: T.Tensor((N,), "float32"),
        scale: T.float32,
        W: T.Tensor((parts, N), "float32"),
        B: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, 128), parts, threads=128) as (bx, by):
            for i in T.Parallel(128):
                W[by, bx * 128 + i] = A[bx * 128 + i] * scale
        with T.Kernel(T.ceildiv(N, 256), threads=256) as bx:
            for i in T.Parallel(256):
                B[bx * 256 + i] = W[0, bx * 256 + i] + W[1, bx * 256 + i]

    return main
"""

CONVOLUTION = f"""{_HEAD}@tilelang.jit(out_idx=[2])
def convolution(N=4, C=64, H=32, W=32, F=64, block_M=64, block_N=64, block_K=32):
    @T.prim_func
    def main(
        data: T.Tensor((N, H, W, C), "float16"),
        kernel: T.Tensor((3, 3, C, F), "float16"),
        out: T.Tensor((N, H, W, F), "float16"),
    ):
        with T.Kernel(T.ceildiv(F, block_N), N * H * W // block_M, threads=128) as (bx, by):
            data_s = T.alloc_shared((block_M, block_K), "float16")
            kernel_s = T.alloc_shared((block_K, block_N), "float16")
            total = T.alloc_fragment((block_M, block_N), "float32")
            flat_kernel = T.Tensor((9 * C, F), "float16", kernel.data)
            flat_out = T.Tensor((N * H * W, F), "float16", out.data)
            T.clear(total)
            for k in T.Pipelined(T.ceildiv(9 * C, block_K), num_stages=3):
                T.im2col(data, data_s, by, k, 3, 1, 1, 1)
                T.copy(flat_kernel[k * block_K, bx * block_N], kernel_s)
                T.gemm(data_s, kernel_s, total)
            T.copy(total, flat_out[by * block_M, bx * block_N])

    return main
"""

_COPY = """{head}@tilelang.jit(out_idx=[-1])
def copied(N=1024):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"){more}, B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128{launch}) as bx:
            {first}
            for i in T.Parallel(128):
                B[bx * 128 + i] = A[bx * 128 + i]{last}

    return main
"""


def _copy(first: str = "T.evaluate(0)", last: str = "", more: str = "", launch: str = "") -> str:
    return _COPY.format(head=_HEAD, first=first, last=last, more=more, launch=launch)


CLUSTERS = _copy("T.annotate_l2_hit_ratio({A: 0.5})", launch=", cluster_dims=(2, 1, 1)")
DEPENDENT = _copy("T.pdl_sync()")
COOPERATIVE = _copy(last="\n            T.sync_grid()")
SCALARS = _copy(last=" + T.if_then_else(flag, n, 0)", more=", flag: T.bool, n: T.int32")


def item_of(
    document: Document | str | Path, target: str, args: Mapping[str, Any] | None = None
) -> Item:
    """The first case of a document for a target; `args` override its arguments."""
    if isinstance(document, str):
        document = parse_document(document)
    elif isinstance(document, Path):
        document = read_document(document)
    overrides = {name: str(value) for name, value in (args or {}).items()}
    return Item(document, select(document, overrides=overrides)[0], load_targets().resolve(target))


def request_of(item: Item) -> ExportRequest:
    return export_request(item, source_of(item.document, Path("/nowhere"), True))


def exported(item: Item) -> tuple[ExportResult, list[bytes]]:
    """What the export job makes, in this process."""
    from workbench.engine.export.job import export_kernel

    return export_kernel(request_of(item), lambda *_: None)


def put_together(item: Item, result: ExportResult, blobs: list[bytes]) -> Export:
    """The files of an export whose job ended so."""
    ended = Ended("job-1", "done", result=to_plain(result), blobs=tuple(blobs))
    return export_of(item, ended, load_targets())


def launch_of(export: Export) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(export.files["launch.json"])
    return found
