"""Tensors as a person writes them in one line: "A: (M, K) float16; B: (K, N) float16"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_TENSOR = re.compile(r"\s*([A-Za-z_]\w*)\s*:\s*\(([^()]*)\)\s*([a-z]\w*)\s*")
_SIZE = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(\d+)\s*")
_NAME = re.compile(r"[A-Za-z_]\w*")


class SpecError(ValueError):
    """A line that cannot be read; the message says how it is written."""


@dataclass(frozen=True)
class TensorSpec:
    """A tensor: its extents are names of sizes or whole numbers."""

    name: str
    extents: tuple[str, ...]
    dtype: str

    @property
    def shape(self) -> str:
        """The shape as Python writes it."""
        inner = ", ".join(self.extents)
        return f"({inner},)" if len(self.extents) == 1 else f"({inner})"


def read_tensors(text: str) -> tuple[TensorSpec, ...]:
    """The tensors of a line, with `;` between them. Raises SpecError."""
    found = []
    for part in (part for part in text.split(";") if part.strip()):
        match = _TENSOR.fullmatch(part)
        if match is None:
            raise SpecError(f"a tensor is written as in A: (M, N) float16, not {part.strip()!r}")
        extents = tuple(extent.strip() for extent in match[2].split(",") if extent.strip())
        found.append(TensorSpec(match[1], extents, match[3]))
    return tuple(found)


def read_sizes(text: str) -> dict[str, int]:
    """Sizes such as "M=1024, N=1000", in order. Raises SpecError."""
    found = {}
    for part in (part for part in text.split(",") if part.strip()):
        match = _SIZE.fullmatch(part)
        if match is None:
            raise SpecError(f"a size is written as in M=1024, not {part.strip()!r}")
        found[match[1]] = int(match[2])
    return found


def read_names(text: str) -> tuple[str, ...]:
    """Names such as "M, N". Raises SpecError."""
    names = tuple(part.strip() for part in text.split(",") if part.strip())
    for name in names:
        if _NAME.fullmatch(name) is None:
            raise SpecError(f"a size's name is expected, as in M, N, not {name!r}")
    return names


def unknown_extent(tensors: tuple[TensorSpec, ...], sizes: Mapping[str, int]) -> str | None:
    """The first extent that is neither a number nor a known size."""
    extents = (extent for tensor in tensors for extent in tensor.extents)
    return next((e for e in extents if not e.isdigit() and e not in sizes), None)
