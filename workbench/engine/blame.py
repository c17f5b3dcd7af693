"""Says which step of a job an exception happened in, as a failure and a diagnostic."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import Failure, KernelChoice, Source
from workbench.engine import faults
from workbench.engine.loading import UntrustedError


@dataclass(frozen=True)
class Step:
    """A step of a job: the code of a diagnostic about it, and the diagnostic's stage."""

    code: str
    stage: str


LOADING = Step("import-error", "lower")
BUILDING = Step("build-error", "lower")
LOWERING = Step("lower-error", "lower")
ASSEMBLING = Step("machine-code-error", "resources")
INPUTS = Step("inputs-error", "simulate")
REFERENCE = Step("reference-error", "simulate")
RUNNING = Step("run-error", "simulate")


class StepError(Exception):
    """The kernel's document is at fault in a step; `diagnostic` is None where it is not."""

    def __init__(self, failure: Failure, diagnostic: Diagnostic | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.diagnostics = (diagnostic,) if diagnostic is not None else ()


@contextlib.contextmanager
def blaming(step: Step, source: Source, kernel: KernelChoice) -> Iterator[None]:
    """Raise whatever goes wrong in the block as a StepError that names the step and the line."""
    try:
        yield
    except StepError:
        raise
    except UntrustedError as error:
        raise StepError(Failure("environment", str(error))) from error
    except (Exception, SystemExit) as error:
        failure = faults.kernel_failure(error, source.path)
        code = _own_code(error) or step.code
        where = TextRange(failure.line or kernel.line or 1)
        message = failure.message
        diagnostic = Diagnostic(code, Severity.ERROR, message, where, stage=step.stage)
        raise StepError(failure, diagnostic) from error


def _own_code(error: BaseException) -> str | None:
    if isinstance(error, SyntaxError):
        return "python-error"
    return error.code if isinstance(error, faults.DocumentFaultError) else None
