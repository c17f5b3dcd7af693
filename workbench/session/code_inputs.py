"""The code pane's inputs: stages of a kernel, and for each target the newest compile result."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass

from workbench.core.jobs import CompileResult
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target, Vendor


class Stage(enum.Enum):
    """The texts that a kernel goes through, by the names under which they are emitted."""

    TIR = "tir"
    LOWERED = "lowered"
    HOST = "host"
    SOURCE = "source"
    PTX = "ptx"
    SASS = "sass"


class Language(enum.Enum):
    """How a text is coloured and compared."""

    TIR = "tir"
    SOURCE = "source"
    PTX = "ptx"
    SASS = "sass"


# By language, what a compiler numbers anew after any change upstream: registers, labels, addresses.
_NUMBERED = {
    Language.PTX: re.compile(r"(?<=%)(r|rd|rs|rh|f|fd|h|hh|b|p)\d+\b|(\$L_*[A-Z]*)[\d_]+"),
    Language.SASS: re.compile(r"^(\s*/\*)[0-9a-f]+(?=\*/)|\b(U?[RP]|B|SB)\d+\b|(\.L_x_)\d+"),
}
# What a comparison leaves out of account, in words.
ASIDE = {
    Language.TIR: "indentation aside",
    Language.SOURCE: "indentation aside",
    Language.PTX: "numbers of registers and labels aside",
    Language.SASS: "addresses and numbers of registers aside",
}


def comparison_key(language: Language) -> Callable[[str], str]:
    """What gives of a line that which counts in a comparison; `ASIDE` says what does not."""
    numbered = _NUMBERED.get(language)
    if numbered is None:
        return str.strip
    kept = "".join(f"\\{group}" for group in range(1, numbered.groups + 1))
    return lambda line: numbered.sub(kept, line).strip()


@dataclass(frozen=True)
class StageInfo:
    """A stage as the list shows it; `suffix` is that of its file."""

    title: str
    meaning: str
    language: Language
    suffix: str


STAGES: dict[Stage, StageInfo] = {
    Stage.TIR: StageInfo("Tile IR", "the kernel as written", Language.TIR, ".tir.py"),
    Stage.LOWERED: StageInfo(
        "Lowered IR", "the device function after all passes", Language.TIR, ".device.py"
    ),
    Stage.HOST: StageInfo("Host IR", "the function that launches it", Language.TIR, ".host.py"),
    Stage.SOURCE: StageInfo("Source", "the generated device code", Language.SOURCE, ".cu"),
    Stage.PTX: StageInfo("PTX", "what nvcc makes of the source", Language.PTX, ".ptx"),
    Stage.SASS: StageInfo("SASS", "the machine code, disassembled", Language.SASS, ".sass"),
}
_SOURCE_SUFFIXES = {
    Vendor.NVIDIA: ".cu",
    Vendor.AMD: ".hip",
    Vendor.HUAWEI: ".asc",
    Vendor.APPLE: ".metal",
    Vendor.HOST: ".c",
}
MACHINE_STAGES = (Stage.PTX, Stage.SASS)


@dataclass(frozen=True)
class TargetCode:
    """One target: `mark` is its place among those chosen, from 0, by which it is coloured.

    `result` is None before the first one; `running` says that a newer one is on its way.
    """

    name: str
    title: str
    mark: int
    result: CompileResult | None = None
    running: bool = False
    source_suffix: str = ".cu"


@dataclass(frozen=True)
class CodeInputs:
    """The results that are shown; `stale` ones are of an earlier text of the document."""

    document: str = ""
    targets: tuple[TargetCode, ...] = ()
    stale: bool = False


def target_code(
    target: Target, mark: int, result: CompileResult | None, running: bool = False
) -> TargetCode:
    """A target of the table with its result."""
    suffix = _SOURCE_SUFFIXES[target.arch.vendor]
    return TargetCode(target.name, short_label(target), mark, result, running, suffix)


class State(enum.Enum):
    """Whether a text is there.

    ABSENT was not asked for, MISSING cannot be had here, FAILED is the kernel's own fault.
    """

    READY = "ready"
    LOADING = "loading"
    ABSENT = "absent"
    MISSING = "missing"
    FAILED = "failed"
