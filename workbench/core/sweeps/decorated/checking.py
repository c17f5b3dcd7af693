"""What configurations must be for a sweep to go through them, wherever they were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.core.documents.model import Kernel
from workbench.core.documents.suggestions import did_you_mean
from workbench.core.sweeps.space import MOST_POINTS, SpaceError

Configurations = tuple[Mapping[str, Any], ...]
_PASSES = "pass_configs"  # a key of TileLang's that is no argument
_PLAIN = (bool, int, float, str, type(None))


class ConfigurationsError(SpaceError):
    """A decorator's configurations cannot be swept over; the message says why and what to do."""


def checked(found: Any, kernel: Kernel) -> Configurations:
    """Configurations as plain values, each once; raises ConfigurationsError."""
    if not isinstance(found, (list, tuple)) or not all(isinstance(e, Mapping) for e in found):
        raise ConfigurationsError(
            f"the configurations of `{kernel.name}` are a {type(found).__name__}, and a sweep "
            "takes a list of dicts"
        )
    if not found:
        raise ConfigurationsError(f"the decorator of `{kernel.name}` has no configurations")
    if len(found) > MOST_POINTS:
        raise ConfigurationsError(f"{len(found):,} configurations are more than {MOST_POINTS:,}")
    names = dict.fromkeys(name for each in found for name in each)
    _require_arguments(names, kernel)
    unlike = {repr(each): each for each in (_plain(each, kernel) for each in found)}
    return tuple(unlike.values())


def _require_arguments(names: Mapping[Any, None], kernel: Kernel) -> None:
    if _PASSES in names:
        raise ConfigurationsError(
            f"the configurations of `{kernel.name}` set {_PASSES}, which a sweep does not vary: "
            "vary its arguments with --vary instead"
        )
    known = [parameter.name for parameter in kernel.parameters]
    for name in names:
        if name not in known and not (kernel.accepts_extra and isinstance(name, str)):
            raise ConfigurationsError(
                f"the decorator's configurations set `{name}`, of which `{kernel.name}` has no "
                f"parameter{did_you_mean(str(name), known)}"
            )


def _plain(each: Mapping[str, Any], kernel: Kernel) -> dict[str, Any]:
    for name, value in each.items():
        if not _is_plain(value):
            raise opaque_value(kernel, name, type(value).__name__)
    return dict(each)


def opaque_value(kernel: Kernel, name: str, kind: str) -> ConfigurationsError:
    """That an argument's value is of a type that cannot be sent to a worker."""
    return ConfigurationsError(
        f"the decorator of `{kernel.name}` gives `{name}` a {kind}, which a sweep cannot hand "
        "over: have the kernel take a number or a text for it, or vary its other arguments with "
        "--vary"
    )


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_plain(item) for item in value)
    return isinstance(value, _PLAIN)


def given_to(
    names: Sequence[str], takes_all: bool, required: Sequence[str], args: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a function that gives configurations is called with, by position and by name.

    TileLang gives it what the kernel is called with (autotuner/tuner.py 0.1.15, `run`). By its
    `names` it gets the arguments called so; one that `takes_all` by position gets those that
    the kernel has no default for, its `required` parameters.
    """
    if not takes_all:
        return (), {name: args[name] for name in names if name in args}
    return tuple(args[name] for name in required if name in args), {}
