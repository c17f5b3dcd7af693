"""Names columns of a comparison by what tells their runs apart: tiles, arguments, target, case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from workbench.core.runs import MOST_OVERRIDES, Run

_TILES = ("block_M", "block_N", "block_K")
#: Arguments that read better as a number of something.
_COUNTED = {"num_stages": "stages", "threads": "threads", "stages": "stages"}
_SHAPES = ("M", "N", "K")
_MOST = 3  # facets in a second line
_NONE = "–"  # of an argument that a run does not have
_TITLES = 2  # facets in a title


@dataclass(frozen=True)
class ColumnTitle:
    """What stands at the head of a column: a short title, and a second line, "" without any."""

    title: str
    subtitle: str


@dataclass(frozen=True)
class _Facet:
    """One thing in which runs differ, by run: in a title and in a second line.

    `names` are the arguments that it tells.
    """

    titles: tuple[str, ...]
    texts: tuple[str, ...]
    names: tuple[str, ...] = ()


def column_titles(runs: Sequence[Run], label: Callable[[Run], str]) -> tuple[ColumnTitle, ...]:
    """The titles of runs beside each other; `label` gives the short name of a run's target.

    What tells most of the runs apart comes first, and another thing where it does not tell all.
    """
    labels = tuple(label(run) for run in runs)
    facets = list(_facets(runs)) or list(_facets_of_the_same_kernel(runs, labels))
    first = _first(facets) or [_plain(f"{run.created.astimezone():%d %b %H:%M:%S}" for run in runs)]
    rest = [facet for facet in facets if facet not in first]
    is_told = len(set(labels)) == 1 or labels in (facet.titles for facet in first)
    return tuple(
        ColumnTitle(
            _title(first, at),
            _subtitle(runs, at, (first, rest), "" if is_told else labels[at]),
        )
        for at in range(len(runs))
    )


def _first(facets: Sequence[_Facet]) -> list[_Facet]:
    """The facets that together tell most of the runs apart, the one that tells most first.

    A title begins with something that each of the runs has, where there is such a thing.
    """
    chosen: list[_Facet] = []
    whole = [facet for facet in facets if _NONE not in " ".join(facet.titles).split()]
    while facets and len(chosen) < _TITLES:
        among = facets if chosen or not whole else whole
        best = max(among, key=lambda facet: _told_apart([*chosen, facet]))  # the first of several
        if chosen and _told_apart([*chosen, best]) == _told_apart(chosen):
            break
        chosen.append(best)
    return chosen


def _title(facets: Sequence[_Facet], at: int) -> str:
    first, *others = (facet.titles[at] for facet in facets)
    return " · ".join([first, *(text for text in others if text != _NONE)])


def _told_apart(facets: Sequence[_Facet]) -> int:
    return len(set(zip(*(facet.titles for facet in facets), strict=True)))


def _plain(texts: Iterator[str] | Sequence[str]) -> _Facet:
    told = tuple(texts)
    return _Facet(told, told)


def _facets(runs: Sequence[Run]) -> Iterator[_Facet]:
    """What differs in what was asked for, in the order in which it is best told."""
    differing = _differing(runs)
    if len({run.kernel for run in runs}) > 1:
        yield _plain([run.kernel or "script" for run in runs])
    if any(name in differing for name in _TILES):
        yield _sizes(runs, tuple(n for n in _TILES if any(n in run.args for run in runs)))
    shapes = tuple(name for name in _SHAPES if name in differing)
    if len(shapes) > 1:
        yield _sizes(runs, shapes)
    others = [n for n in differing if n not in _TILES and (n not in shapes or len(shapes) == 1)]
    for name in sorted(others, key=lambda name: name in _COUNTED):
        texts = tuple(_argument(run, name) for run in runs)
        is_type = name.endswith("dtype")
        titles = tuple(_short_type(_text(run, name)) for run in runs) if is_type else texts
        yield _Facet(titles, texts, (name,))
    if len({_document(run) for run in runs}) > 1:
        yield _plain([_document(run) or "no document" for run in runs])


def _facets_of_the_same_kernel(runs: Sequence[Run], labels: tuple[str, ...]) -> Iterator[_Facet]:
    """What differs where the same was asked for: the target, else the case."""
    if len(set(labels)) > 1:
        yield _plain(labels)
    elif len({run.case for run in runs}) > 1:
        yield _plain([run.case_title(MOST_OVERRIDES) or "no case" for run in runs])


def _sizes(runs: Sequence[Run], names: tuple[str, ...]) -> _Facet:
    rows = [tuple(_text(run, name) for name in names) for run in runs]
    told = tuple(_product(row) for row in rows)
    return _Facet(told, told, names)


def _product(sizes: tuple[str, ...]) -> str:
    """Sizes in a row: "128 × 256", "4,096³"; a dash where the run has none of them."""
    if len(set(sizes)) > 1 or len(sizes) == 2:
        return " × ".join(sizes)
    return f"{sizes[0]}³" if len(sizes) == 3 and sizes[0] != _NONE else sizes[0]


def _differing(runs: Sequence[Run]) -> tuple[str, ...]:
    """The arguments that are not the same in all runs that have them."""
    names = dict.fromkeys(name for run in runs for name in run.args)
    return tuple(
        name
        for name in names
        if len({repr(run.args[name]) for run in runs if name in run.args}) > 1
    )


def _subtitle(
    runs: Sequence[Run], at: int, facets: tuple[Sequence[_Facet], Sequence[_Facet]], label: str
) -> str:
    """What else differs; beside a tile what it is loaded and computed with, else the case."""
    first, rest = facets
    run = runs[at]
    parts = [text for facet in rest if _NONE not in (text := facet.texts[at]).split()]
    told = {name for each in facets for facet in each for name in facet.names}
    if any(facet.names[:1] == ("block_M",) for facet in first):
        parts += [
            _argument(run, name) for name in _COUNTED if name in run.args and name not in told
        ]
    parts = [*parts[:_MOST], *([label] if label else [])]
    case = run.case_title(MOST_OVERRIDES) or ""
    if not parts and len(first) == 1 and first[0].titles[at] != case:
        parts = [case]
    return " · ".join(part for part in parts if part)


def _short_type(name: str) -> str:
    """The name of a data type where there is little room: "bf16", "fp8_e4m3fn"."""
    return name.replace("bfloat", "bf").replace("float", "fp")


def _argument(run: Run, name: str) -> str:
    text = _text(run, name)
    return f"{text} {_COUNTED[name]}" if name in _COUNTED else f"{name} {text}"


def _text(run: Run, name: str) -> str:
    """The value of an argument, a dash where the run has none of that name."""
    value = run.args.get(name, _NONE)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _document(run: Run) -> str:
    return (run.document or "").rsplit("/", 1)[-1]
