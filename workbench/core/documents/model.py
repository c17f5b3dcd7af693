"""The records of a kernel document: kernels, their parameters, and the cases to run them with."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.core.diagnostics import Diagnostic, Severity


class DocumentError(Exception):
    """A document that cannot be read or written; the message says what, where and what next."""


class KernelStyle(enum.Enum):
    """How a kernel is written, which decides how it is built."""

    LAZY = "lazy"
    """`@tilelang.jit` on a function that returns a `T.prim_func`."""
    EAGER = "eager"
    """`@tilelang.jit` on a function whose own body is the kernel."""
    PRIM_FUNC = "prim_func"
    """A bare `@T.prim_func`."""
    FACTORY = "factory"
    """A plain function that returns a kernel."""


class ParameterRole(enum.Enum):
    """What a parameter's value is needed for."""

    ARGUMENT = "argument"
    """A value of the signature, fixed when the kernel is built."""
    SHAPE = "shape"
    """A `T.const` dimension of an eager kernel, read off the tensors it is given."""
    TENSOR = "tensor"
    """A tensor, given when the kernel is run."""
    SCALAR = "scalar"
    """A number, given when the kernel is run."""


@dataclass(frozen=True)
class Parameter:
    """One parameter; `default` is None where there is none or it is not a literal.

    `default_text` and `annotation` are the source text, None where absent.
    """

    name: str
    default: Any
    has_default: bool
    default_text: str | None
    annotation: str | None
    line: int
    role: ParameterRole = ParameterRole.ARGUMENT

    @property
    def default_is_known(self) -> bool:
        """Whether `default` is the value that Python would take."""
        return self.has_default and (self.default is not None or self.default_text == "None")


@dataclass(frozen=True)
class Kernel:
    """A kernel of the file, `line` to `end_line` from its `def`.

    `parameters` are what a case's `args` may set; `inputs` is what the kernel is run on, where
    the file's signature shows it (eager and prim_func kernels).
    """

    name: str
    line: int
    end_line: int
    style: KernelStyle
    parameters: tuple[Parameter, ...]
    reference: str | None = None
    autotuned: bool = False
    inputs: tuple[Parameter, ...] = ()
    accepts_extra: bool = False
    """Whether a `**kwargs` takes arguments beyond `parameters`."""

    def parameter(self, name: str) -> Parameter | None:
        """The settable parameter of that name."""
        return next((p for p in self.parameters if p.name == name), None)


@dataclass(frozen=True)
class Case:
    """One set of arguments to run a kernel with; None means that the block does not say."""

    name: str
    args: dict[str, Any] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    dims: dict[str, int] = field(default_factory=dict)
    rtol: float | None = None
    atol: float | None = None
    seed: int = 0
    flops: str | None = None
    baseline: str | None = None
    kernel: str | None = None
    line: int | None = field(default=None, compare=False)
    extra: dict[str, Any] = field(default_factory=dict)
    """Keys that this version does not know; they are written back."""


@dataclass(frozen=True)
class Metadata:
    """What the `workbench` block of a document says."""

    kernel: str | None = None
    reference: str | None = None
    cases: tuple[Case, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    pattern: dict[str, Any] = field(default_factory=dict)
    """What a generated document was made from, as `patterns.origin` reads it."""

    def kernel_of(self, case: Case) -> str | None:
        """The kernel that a case is for: its own, else the block's."""
        return case.kernel or self.kernel


@dataclass(frozen=True)
class Document:
    """A kernel document as read: `text` has no byte order mark and keeps its line ends."""

    path: Path | None
    text: str
    kernels: tuple[Kernel, ...]
    metadata: Metadata | None
    diagnostics: tuple[Diagnostic, ...]
    functions: tuple[str, ...]
    has_main: bool

    def kernel(self, name: str) -> Kernel | None:
        """The kernel of that name."""
        return next((kernel for kernel in self.kernels if kernel.name == name), None)

    @property
    def errors(self) -> Iterator[Diagnostic]:
        """The diagnostics of severity error."""
        return (d for d in self.diagnostics if d.severity is Severity.ERROR)
