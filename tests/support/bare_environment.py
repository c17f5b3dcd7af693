"""A Python that has torch and tilelang with what they need, and nothing else: a host's."""

from __future__ import annotations

import importlib.metadata
import os
import sysconfig
import venv
from collections.abc import Iterable
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def make_bare_python(folder: Path, *packages: str) -> Path:
    """Make an environment with these packages of the running one in `folder`; its Python."""
    venv.create(folder, symlinks=os.name != "nt", with_pip=False)
    scheme = sysconfig.get_preferred_scheme("prefix")
    place = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", scheme, place))
    for entry in _entries(_closure(packages)):
        (site / entry.name).symlink_to(entry)
    return folder / "bin" / "python"


def _closure(packages: Iterable[str]) -> set[str]:
    """The distributions that these need, themselves included, as far as they are installed."""
    found: set[str] = set()
    todo = [canonicalize_name(name) for name in packages]
    while todo:
        name = todo.pop()
        try:
            requires = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # needed on other platforms, or for nothing that is done here
        if name not in found:
            found.add(name)
            todo += [canonicalize_name(r.name) for r in map(Requirement, requires) if _applies(r)]
    return found


def _applies(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


def _entries(names: Iterable[str]) -> set[Path]:
    """What lies in a site folder for these distributions: packages, modules, records."""
    entries = set()
    for name in names:
        for file in importlib.metadata.files(name) or ():
            if file.parts[0] not in ("..", "__pycache__"):
                entries.add(
                    Path(str(file.locate())).parents[len(file.parts) - 2]
                    if len(file.parts) > 1
                    else Path(str(file.locate()))
                )
    return entries
