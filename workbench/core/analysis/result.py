"""What a worker answers to a request for an analysis.

It stands apart from the other answers in `core.jobs`: what it consists of takes as long to load as
all of them, and a window is there before the first one comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import Failure, Resources


@dataclass(frozen=True)
class AnalyzeResult:
    """The outcome of an AnalyzeRequest: one analysis for each kernel that the document's launches.

    `resources` are the largest over them; `missing` says by the name of a part why it is unknown.
    """

    failure: Failure | None
    kernels: tuple[KernelAnalysis, ...] = ()
    resources: Resources | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
