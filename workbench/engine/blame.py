"""Says which step of a job an exception happened in, as a failure and a diagnostic."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from workbench.core.diagnostics import Diagnostic, Related, Severity, TextRange
from workbench.core.doctor.call_sites import call_sites
from workbench.core.doctor.module import read_module
from workbench.core.jobs import Failure, KernelChoice, Source
from workbench.engine import faults
from workbench.engine.doctor.diagnosing import diagnose, diagnostic_of
from workbench.engine.doctor.model import Finding, Subject
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
def blaming(
    step: Step, source: Source, kernel: KernelChoice, subject: Subject | None = None
) -> Iterator[None]:
    """Raise whatever goes wrong in the block as a StepError that names the step and the line.

    `subject` is the kernel as far as it is built, from which an error of TileLang is explained.
    """
    try:
        yield
    except StepError:
        raise
    except UntrustedError as error:
        raise StepError(Failure("environment", str(error))) from error
    except (Exception, SystemExit) as error:
        failure, diagnostic = _blamed(error, step, source, kernel, subject)
        raise StepError(failure, diagnostic) from error


def _blamed(
    error: BaseException,
    step: Step,
    source: Source,
    kernel: KernelChoice,
    subject: Subject | None,
) -> tuple[Failure, Diagnostic]:
    """What an exception means where that is known, else its own text at the best line."""
    failure = faults.kernel_failure(error, source.path)
    code = _own_code(error)
    subject = replace(subject, source=source, choice=kernel) if subject is not None else None
    known = diagnose(error, source.path, source.text, subject, step.stage) if code is None else None
    if known is not None:
        return _placed(known, failure, source, kernel)
    where = TextRange(failure.line or kernel.line or 1)
    diagnostic = Diagnostic(
        code or step.code,
        Severity.ERROR,
        failure.message,
        where,
        _called_from(source, where.line),
        stage=step.stage,
        evidence={"raw": failure.raw} if failure.raw else {},
    )
    return failure, diagnostic


def told(
    finding: Finding,
    failure: Failure,
    step: Step,
    source: Source,
    kernel: KernelChoice,
    target: str,
) -> StepError:
    """A failure with what is known of it: the finding's words, at its line or the kernel's."""
    known = diagnostic_of(finding, (target,), step.stage)
    return StepError(*_placed(known, failure, source, kernel))


def _placed(
    known: Diagnostic, failure: Failure, source: Source, kernel: KernelChoice
) -> tuple[Failure, Diagnostic]:
    """A failure in the words of what is known of it, and that at its line or the kernel's."""
    line = known.range.line if known.range is not None else failure.line
    where = TextRange(line or kernel.line or 1)
    places = (*known.related, *_called_from(source, where.line))
    known = replace(known, range=where, related=places)
    return replace(failure, message=known.message, line=line), known


def _called_from(source: Source, line: int) -> tuple[Related, ...]:
    """The calls of the macro that a line lies in."""
    module = read_module(source.text)
    return call_sites(module, line) if module is not None else ()


def _own_code(error: BaseException) -> str | None:
    if isinstance(error, SyntaxError):
        return "python-error"
    return error.code if isinstance(error, faults.DocumentFaultError) else None
