"""What is known of TileLang's names, as read off the installed package."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ApiParameter:
    """One parameter of a signature; `text` is what its docstring says of it."""

    name: str
    annotation: str = ""
    default: str | None = None
    text: str = ""


@dataclass(frozen=True)
class DialectForm:
    """How another dialect's name of the same kind differs: its own signature."""

    dialect: str
    signature: str


@dataclass(frozen=True)
class ApiEntry:
    """One name. `name` is as kernels write it (`T.gemm`, `tilelang.jit`).

    `kind` is "function", "macro", "dtype", "class" or "enum". `signature` is empty where Python
    can tell none. `summary` and `details` are the docstring before its lists, `members` an enum's
    values or a class's methods. `module` is where it is defined, `file` and `line` its source.
    """

    name: str
    kind: str
    module: str
    signature: str = ""
    summary: str = ""
    details: str = ""
    parameters: tuple[ApiParameter, ...] = ()
    returns: str = ""
    dialects: tuple[str, ...] = ()
    forms: tuple[DialectForm, ...] = ()
    members: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    file: str | None = None
    line: int | None = None

    @property
    def is_foreign(self) -> bool:
        """Whether TileLang takes the name over from TVM."""
        return self.module.split(".")[0] in ("tvm", "tvm_ffi")


@dataclass(frozen=True)
class Api:
    """All names of one version of TileLang."""

    tilelang: str
    entries: tuple[ApiEntry, ...]
