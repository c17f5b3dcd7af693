"""What a compiler's complaint of generated source means for who wrote the kernel: a table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from workbench.engine.doctor.complaints import Complaint

REFUSED_CODE = "machine-code-error"
FORM_CODE = "template-form-missing"
_NO_MISTAKE = (
    "The Python is no mistake: TileLang lowered this line to a function that its own headers lack. "
    "Leave out the option that asks for it, take another form of the operation, or bring the "
    "function with T.import_source."
)
_BEFORE = (
    "Imported source stands before TileLang's own headers: begin it with the header that it needs, "
    "as #include <tl_templates/cuda/common.h> for half_t."
)


@dataclass(frozen=True)
class Meaning:
    """What it comes to in a few words, what to do, and the code of the finding."""

    reading: str = ""
    advice: str = ""
    code: str = REFUSED_CODE


@dataclass(frozen=True)
class _Case:
    complaint: Complaint
    document: str
    arch: str
    is_imported: bool


def meaning_of(complaint: Complaint, document: str, arch: str, is_imported: bool) -> Meaning:
    """What a complaint means for a document's text.

    `is_imported` says that it is about source that the document imports, which has itself to
    blame.
    """
    case = _Case(complaint, document, arch, is_imported)
    for pattern, make in _TABLE:
        match = re.search(pattern, complaint.said)
        if match is not None:
            return make(case, match)
    return Meaning()


def _form(case: _Case, match: re.Match[str]) -> Meaning:
    """A call of one of TileLang's functions that fits none of its forms."""
    name = match[1]
    if case.is_imported or name in case.document:
        advice = f"TileLang's headers define {name}; none of its forms takes these arguments."
        return Meaning(advice=advice)
    return Meaning(f"TileLang's templates have no {name} of this form", _NO_MISTAKE, code=FORM_CODE)


def _member(case: _Case, match: re.Match[str]) -> Meaning:
    name = f"tl::{match[1]}"
    if case.is_imported or name in case.document:
        return Meaning(advice=f"TileLang's headers define no {name}.")
    return Meaning(f"TileLang's templates have no {name}", _NO_MISTAKE, code=FORM_CODE)


def _undefined(case: _Case, match: re.Match[str]) -> Meaning:
    if case.is_imported:
        return Meaning(advice=_BEFORE)
    if match[1] in case.document:
        return Meaning(advice=f"Bring {match[1]} with T.import_source, or call what is there.")
    return Meaning()


def _advising(text: str) -> Callable[[_Case, re.Match[str]], Meaning]:
    """A row with one advice, in which {arch} is the target's and {0} what the pattern found."""

    def make(case: _Case, match: re.Match[str]) -> Meaning:
        return Meaning(advice=text.format(*match.groups(), arch=case.arch))

    return make


def _assertion(case: _Case, match: re.Match[str]) -> Meaning:
    of_tilelang = case.complaint.header is not None and "tl_templates" in case.complaint.header
    advice = "A template of TileLang is not made for these sizes or types: choose others."
    return Meaning(advice=advice if of_tilelang else "")


_TABLE: tuple[tuple[str, Callable[[_Case, re.Match[str]], Meaning]], ...] = (
    (r'no instance of (?:overloaded )?function(?: template)? "(tl::\w+)', _form),
    (r'namespace "tl" has no member "(\w+)"', _member),
    (r'identifier "(\w+)" is undefined', _undefined),
    (r"static assertion failed", _assertion),
    (
        r'calling a __host__ function\("?(\w+)',
        _advising(
            "{0} is no function of the device: this operation has none for values of these types. "
            "Cast them to float32, or compute it of other operations."
        ),
    ),
    (
        r"requires \.target (\S+)",
        _advising("{arch} has no such instruction: it begins with {0}."),
    ),
    (
        r"Unresolved extern function",
        _advising("It is declared and not defined: T.import_source has to bring its body."),
    ),
    (
        r"[Uu]nknown option",
        _advising("It comes of compile_flags or of the pass configuration."),
    ),
    (
        r"(\S+): No such file or directory|could not open source file \"?([^\" ]+)",
        _advising(
            "The source is compiled in a folder of its own: name the header by its full path, or "
            'its folder with compile_flags=["-I/..."].'
        ),
    ),
    (
        r"uses too much shared data",
        _advising(
            'Static shared memory, of scope="shared" and of __shared__ in imported source, has 48 '
            "KiB at most: T.alloc_shared without a scope takes dynamic memory."
        ),
    ),
)
