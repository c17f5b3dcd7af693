"""Everything that the files of an export are made of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.core.documents.selection import Selection
from workbench.core.exporting.model import ExportResult
from workbench.core.targets.model import Target, Vendor

LAUNCH, EXAMPLE, README, REFERENCE = (
    "launch.json",
    "launch_example.py",
    "README.md",
    "kernel_reference.py",
)
_SOURCES = {"cuda": "cu", "hip": "hip", "metal": "metal", "c": "c", "ascend": "ascend.cpp"}


@dataclass(frozen=True)
class CaseRecord:
    """A case of the test file: its selection, and whose GPUs it is for; none named: anybody's."""

    selection: Selection
    vendors: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExportFacts:
    """One kernel, built with one case's arguments for one target.

    `file` is the document's name, `text` what it says. `make_inputs` is the name of the document's
    function of inputs, None without one. `versions` include the workbench's own.
    """

    file: str
    text: str
    selection: Selection
    target: Target
    result: ExportResult
    cubin: bytes | None = None
    make_inputs: str | None = None
    cases: tuple[CaseRecord, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def kernel(self) -> str:
        """The kernel's name."""
        return self.selection.kernel.name

    @property
    def reference(self) -> str | None:
        """The name of the reference, None where the document does not define it."""
        return None if "reference" in self.result.missing else self.selection.reference

    @property
    def identifier(self) -> str:
        """The kernel's name as a part of a Python name."""
        return re.sub(r"\W", "_", self.kernel)

    @property
    def test_file(self) -> str:
        """The name of the pytest file."""
        return f"test_{self.identifier}.py"

    @property
    def document_file(self) -> str:
        """The name of the document in the folder: its own unless that is one of ours."""
        ours = (LAUNCH, EXAMPLE, README, REFERENCE, self.test_file)
        return f"document_{self.file}" if self.file in ours else self.file

    @property
    def source_file(self) -> str:
        """The name of the generated source."""
        return f"kernel.{_SOURCES.get(self.lowering_kind, 'txt')}"

    @property
    def lowering_kind(self) -> str:
        """TileLang's kind of target: "cuda", "hip", ..."""
        lowering: Any = self.target.lowering
        return str(lowering if isinstance(lowering, str) else lowering["kind"])

    @property
    def on_cpu(self) -> bool:
        """Whether the kernel runs on the machine's own processor."""
        return self.target.arch.vendor is Vendor.HOST

    @property
    def has_example(self) -> bool:
        """Whether the script can launch the kernel: NVIDIA's driver, machine code, a launch."""
        launch = self.result.launch
        known = all(each.torch_dtype is not None for each in self.result.parameters)
        return self.cubin is not None and launch is not None and known
