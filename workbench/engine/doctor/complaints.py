"""Reads what nvcc, its host compiler, ptxas and hipcc say of a source: the first error and its
place."""

from __future__ import annotations

import re
from dataclasses import dataclass

COMPILE_STEP = "\nCompilation error:\n"
"""What stands between source and complaint where TileLang compiles (tilelang/contrib 0.1.15)."""
# Ours, and those that TileLang itself compiles (nvcc.py and hipcc.py there).
_SOURCE = r"(?:[^\s\"]*/)?(?:kernel\.cu|tvm_kernels\.cu|my_kernel\.cc)"
_INSTANTIATED = re.compile(rf"at line (\d+) of \"?{_SOURCE}")
_GENERATED = re.compile(_SOURCE)
_FORMS = (
    re.compile(
        r"^(?P<file>[^\s(][^(\n]*)\((?P<line>\d+)\): (?:catastrophic )?error(?: #[\w-]+)?: "
        r"(?P<said>.+)$",
        re.MULTILINE,
    ),
    re.compile(
        r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):\d+: (?:fatal )?error: (?P<said>.+)$", re.MULTILINE
    ),
    re.compile(
        r"^ptxas (?P<ptx>\S+), line (?P<line>\d+); (?:error|fatal)\s*: (?P<said>.+)$", re.MULTILINE
    ),
    re.compile(r"^(?:nvcc|ptxas|nvlink|cicc) (?:error|fatal)\s*: (?P<said>.+)$", re.MULTILINE),
)


@dataclass(frozen=True)
class Complaint:
    """The first error: the line that tells it, what it says, and where.

    `source_line` is in the generated source, also of an error in a header that came of it there;
    `ptx_line` is in the PTX. None where it names no such place. `header` is the other file.
    """

    text: str
    said: str
    source_line: int | None = None
    ptx_line: int | None = None
    header: str | None = None


def complaint_of(said: str) -> Complaint | None:
    """The first error in what a compiler printed; None where there is none of a known form."""
    found = [match for form in _FORMS if (match := form.search(said)) is not None]
    if not found:
        return None
    first = min(found, key=lambda match: match.start())
    groups = first.groupdict()
    line = int(groups["line"]) if groups.get("line") else None
    if "ptx" in groups:
        return Complaint(first[0], first["said"], ptx_line=line)
    file = groups.get("file")
    if file is None or _GENERATED.fullmatch(file):
        return Complaint(_short(first[0], file), first["said"], line)
    return Complaint(first[0], first["said"], _caller(said, first.end()), header=file)


def _short(text: str, file: str | None) -> str:
    """The line without the folder that the source was compiled in."""
    return text.replace(file, file.rpartition("/")[2], 1) if file is not None else text


def _caller(said: str, begin: int) -> int | None:
    """The line of the source that has an error in a header, by the notes that follow it."""
    following = [match.start() for form in _FORMS[:2] if (match := form.search(said, begin))]
    match = _INSTANTIATED.search(said, begin, min(following, default=len(said)))
    return int(match[1]) if match is not None else None
