"""What is to be believed of a measurement, each sentence with its severity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.diagnostics import Severity
from workbench.core.mismatches import MISMATCH
from workbench.core.profiles import ProfileResult
from workbench.core.timing import WRONG_RESULT

#: What `core.timing` says of samples that lie close together.
_GOOD = re.compile(r"The middle 80 % of .* lie within")
#: Which method was chosen, and why: no reason for doubt.
_METHOD = re.compile(r"(Graph replay was|CUDA events were|CUPTI was) taken")
_RANKS = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2, None: 3}


@dataclass(frozen=True)
class Trust:
    """One sentence; without a severity it says what is good."""

    severity: Severity | None
    text: str


def trust_of(result: ProfileResult) -> tuple[Trust, ...]:
    """The sentences, the worst first; why a method was chosen where nothing else is to be said."""
    found = [*_timing(result), *_verdict(result)]
    told = [each for each in found if not _METHOD.match(each.text)]
    return tuple(sorted(told or found, key=_rank))


def _rank(trust: Trust) -> int:
    return _RANKS[trust.severity]


def _verdict(result: ProfileResult) -> Iterator[Trust]:
    said = result.latency.trust if result.latency is not None else ()
    if result.verified is False and WRONG_RESULT not in said:
        yield Trust(Severity.ERROR, WRONG_RESULT)
    if result.verified is False:
        wrong = (each for each in result.diagnostics if each.code == MISMATCH)
        yield from (Trust(Severity.ERROR, f"{each.message}.") for each in wrong)
    elif result.verified is None and result.latency is not None:
        why = result.missing.get("verified", "")
        yield Trust(Severity.INFO, f"The result was not compared with a reference{_tail(why)}")


def _tail(why: str) -> str:
    return f": {why.rstrip('.')}." if why else "."


def _timing(result: ProfileResult) -> Iterator[Trust]:
    for sentence in result.latency.trust if result.latency is not None else ():
        yield Trust(_severity(sentence), sentence)


def _severity(sentence: str) -> Severity | None:
    if sentence == WRONG_RESULT:
        return Severity.ERROR
    if _METHOD.match(sentence):
        return Severity.INFO
    return None if _GOOD.match(sentence) else Severity.WARNING
