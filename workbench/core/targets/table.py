"""The table of all targets and the resolution of their names."""

from __future__ import annotations

import difflib
import functools
import pathlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.core.data_files import find_data
from workbench.core.targets.model import Architecture, GpuModel, Target, Vendor
from workbench.core.targets.reading import RecordError, read_records

# TileLang reads these by the GPU of the machine, and without one as sm_50, gfx900 or an error.
_BARE = {"auto", "cuda", "hip", "rocm", "llvm"}


class TargetError(ValueError):
    """A target cannot be had; the message says why and what to name instead."""


class UnknownTargetError(TargetError):
    """No target has that name; `nearest` holds the names that come closest."""

    def __init__(self, message: str, nearest: tuple[str, ...]) -> None:
        super().__init__(message)
        self.nearest = nearest


class IncompatibleTargetError(TargetError):
    """The device of a `<model>:<architecture>` name cannot run what is lowered for the latter."""


@dataclass(frozen=True)
class TargetTable:
    """All architectures and models, in the order in which a list shows them."""

    architectures: tuple[Architecture, ...]
    models: tuple[GpuModel, ...]

    def names(self) -> tuple[str, ...]:
        """The names of all models, then of all architectures."""
        return tuple(record.name for record in self.records())

    def records(self) -> tuple[Architecture | GpuModel, ...]:
        """All records, models first."""
        return (*self.models, *self.architectures)

    def resolve(self, name: str) -> Target:
        """The target called `<model>`, `<architecture>` or `<device>:<lowering architecture>`.

        Case, blanks, hyphens and underscores do not matter, and aliases are understood; the
        target has the canonical name. Raises UnknownTargetError or IncompatibleTargetError.
        """
        device_name, colon, lowering_name = name.partition(":")
        device, notes = self._find(device_name)
        target = self._target_of(device, notes)
        if not colon:
            return target
        lowering, lowering_notes = self._find_architecture(lowering_name)
        if lowering.name == target.arch.name:
            return target
        _check_lowering(target, lowering)
        return _lowered_for(target, lowering, lowering_notes)

    def architecture(self, name: str) -> Architecture:
        """The architecture of that name or alias. Raises UnknownTargetError."""
        return self._find_architecture(name)[0]

    def _find(self, name: str) -> tuple[Architecture | GpuModel, tuple[str, ...]]:
        for record in self.records():
            for known, note in {record.name: "", **record.aliases}.items():
                if _plain_name(known) == _plain_name(name):
                    return record, (note,) if note else ()
        raise self._unknown(name, self.names())

    def _find_architecture(self, name: str) -> tuple[Architecture, tuple[str, ...]]:
        known = {_plain_name(alias) for a in self.architectures for alias in (a.name, *a.aliases)}
        if _plain_name(name) not in known:
            raise self._unknown(name, (a.name for a in self.architectures), "architecture")
        record, notes = self._find(name)
        assert isinstance(record, Architecture)
        return record, notes

    def _target_of(self, device: Architecture | GpuModel, notes: tuple[str, ...]) -> Target:
        model = device if isinstance(device, GpuModel) else None
        arch = device if isinstance(device, Architecture) else self.architecture(device.arch)
        return Target(
            name=device.name,
            title=device.title,
            arch=arch,
            model=model,
            lowering_arch=arch.name,
            lowering=arch.lowering,
            code_arch=arch.code_arch,
            dialect=arch.dialect,
            notes=(*notes, *(model.notes if model else ()), *arch.notes),
            sm_counts=self._sm_counts(arch, model),
        )

    def _sm_counts(self, arch: Architecture, model: GpuModel | None) -> dict[str, int]:
        """The multiprocessors of a model, or of all models of the architecture."""
        models = [each for each in self.models if each.arch == arch.name]
        own = models if model is None else [model]
        return {each.title: each.sm_count for each in own if each.sm_count is not None}

    def _unknown(self, name: str, names: Iterable[str], kind: str = "target") -> UnknownTargetError:
        known = tuple(names)
        if _plain_name(name) in _BARE:
            message = f"{name!r} does not say which GPU is meant; name one of {', '.join(known)}"
            return UnknownTargetError(message, ())
        by_plain = {_plain_name(k): k for k in known}
        close = difflib.get_close_matches(_plain_name(name), by_plain, n=3, cutoff=0.5)
        nearest = tuple(by_plain[match] for match in close)
        hint = f"did you mean {' or '.join(nearest)}?" if nearest else f"known: {', '.join(known)}"
        return UnknownTargetError(f"no {kind} is called {name!r}; {hint}", nearest)


def load_targets(folder: pathlib.Path | None = None) -> TargetTable:
    """The table of the folder, by default the shipped one, which a process reads once.

    Raises RecordError, DataFilesError.
    """
    return _shipped(find_data("resources") / "targets") if folder is None else _table_of(folder)


@functools.lru_cache(maxsize=1)
def _shipped(folder: pathlib.Path) -> TargetTable:
    return _table_of(folder)


def _table_of(folder: pathlib.Path) -> TargetTable:
    architectures, models = read_records(folder)
    vendors = list(Vendor)
    architectures.sort(key=lambda a: (vendors.index(a.vendor), a.order))
    place = {a.name: index for index, a in enumerate(architectures)}
    for model in models:
        if model.arch not in place:
            raise RecordError(f"{model.name}: no record of its architecture {model.arch!r}")
    models.sort(key=lambda m: (place[m.arch], m.name))
    _check_unique([*models, *architectures])
    return TargetTable(tuple(architectures), tuple(models))


@functools.lru_cache(maxsize=1024)
def _plain_name(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name.lower())


def _check_unique(records: Iterable[Architecture | GpuModel]) -> None:
    owners: dict[str, str] = {}
    for record in records:
        for known in {_plain_name(name) for name in (record.name, *record.aliases)}:
            owner = owners.setdefault(known, record.name)
            if owner != record.name:
                raise RecordError(f"{record.name} and {owner} are both called {known!r}")


def _check_lowering(target: Target, lowering: Architecture) -> None:
    device = target.arch
    wanted, pair = f"{target.name}:{lowering.name}", f"{lowering.name} on {target.title}"
    if lowering.vendor is not device.vendor:
        problem = (
            f"it is {lowering.vendor.value}'s architecture, the device {device.vendor.value}'s"
        )
    elif lowering.order > device.order:
        problem = f"{lowering.name} is newer than the device's {device.name}"
    elif not lowering.forward_compatible:
        problem = f"{lowering.name} has instructions that {device.name} does not have"
    else:
        return
    raise IncompatibleTargetError(
        f"{wanted}: cannot run {pair}: {problem}; name {target.name} alone or an older architecture"
    )


def _lowered_for(target: Target, lowering: Architecture, notes: tuple[str, ...]) -> Target:
    code_arch = target.arch.portable_code_arch or target.arch.code_arch
    config = lowering.lowering
    if lowering.vendor is Vendor.NVIDIA and isinstance(config, dict):
        config = {**config, "code": [code_arch]}
    return Target(
        name=f"{target.name}:{lowering.name}",
        title=f"{target.title}, lowered for {lowering.name}",
        arch=target.arch,
        model=target.model,
        lowering_arch=lowering.name,
        lowering=config,
        code_arch=code_arch,
        dialect=lowering.dialect,
        notes=(*notes, *target.notes),
        sm_counts=target.sm_counts,
    )
