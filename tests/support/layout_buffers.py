"""Buffers with layouts for tests: accumulators as the PTX ISA draws them, tiles by bank."""

from __future__ import annotations

from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.layout_maps import LayoutMap, row_major

THREADS_OF_MMA = "i % 8 * 4 + j % 8 // 2"
SLOTS_OF_MMA = "i // 8 * 2 + j % 2"


def accumulator(bits: int = 32, first_thread: int = 0) -> BufferLayout:
    """C of mma.m16n8k16, PTX ISA: lane t has row t/4 (+8), columns 2*(t%4) and the next."""
    known = LayoutMap(
        (16, 8),
        ("i", "j"),
        (SLOTS_OF_MMA,),
        (4,),
        THREADS_OF_MMA,
        threads=32,
        first_thread=first_thread,
    )
    return BufferLayout("C_local", "local.fragment", "4 registers", 4, f"float{bits}", bits, known)


def wide_accumulator() -> BufferLayout:
    """D of wgmma.m64n16, PTX ISA: warp w has rows 16w on, each as mma has it, 8 columns a turn."""
    known = LayoutMap(
        (64, 16),
        ("i", "j"),
        ("j // 8 * 4 + i % 16 // 8 * 2 + j % 2",),
        (8,),
        "i // 16 * 32 + i % 8 * 4 + j % 8 // 2",
        threads=128,
    )
    return BufferLayout("acc", "local.fragment", "8 registers", 8, "float32", 32, known)


def large_accumulator() -> BufferLayout:
    """(256, 256) of fp32 over 256 threads, as two warpgroups of wgmma.m64n256 hold it."""
    known = LayoutMap(
        (256, 256),
        ("i", "j"),
        ("i // 128 * 128 + j // 8 * 4 + i % 16 // 8 * 2 + j % 2",),
        (256,),
        "i % 128 // 16 * 32 + i % 8 * 4 + j % 8 // 2",
        threads=256,
    )
    return BufferLayout("acc", "local.fragment", "256 registers", 256, "float32", 32, known)


def row_sums() -> BufferLayout:
    """One value a row of `accumulator`, held alike by the four threads of a quad."""
    known = LayoutMap((16,), ("i",), ("i // 8",), (2,), "i % 8 * 4 + _rep", copies=4, threads=32)
    return BufferLayout("sums", "local.fragment", "2 registers", 2, "float32", 32, known)


def swizzled() -> BufferLayout:
    """A (64, 64) tile of fp16 whose 16-byte chunks are moved by the row, as swizzles of 128 B do.

    Written as sums, as TileLang does: chunk c of row r lies at chunk c xor r mod 8.
    """
    chunk = "bitxor(j // 8, i % 8)"
    known = LayoutMap((64, 64), ("i", "j"), ("i", f"{chunk} * 8 + j % 8"), (64, 64))
    text = "128-byte swizzle"
    return BufferLayout("A_shared", "shared.dyn", text, None, "float16", 16, known)


def plain(dtype: str = "float32", bits: int = 32, side: int = 32) -> BufferLayout:
    """A square tile as it is allocated."""
    text = "row-major, as it is allocated"
    return BufferLayout("S", "shared.dyn", text, None, dtype, bits, row_major((side, side)))


def padded() -> BufferLayout:
    """A (32, 32) tile of fp32 with one element of padding a row."""
    known = LayoutMap((32, 32), ("i", "j"), ("i * 33 + j",), (1056,))
    text = "row-major, 4 B of padding a row"
    return BufferLayout("P", "shared.dyn", text, None, "float32", 32, known)
