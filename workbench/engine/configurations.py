"""The job that runs a document to learn what its `@autotune` decorator tries."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Mapping
from typing import Any

from tilelang.autotuner.tuner import AutoTuneImpl

from workbench.core.jobs import ConfigurationsRequest, ConfigurationsResult, Failure
from workbench.core.sweeps.decorated.checking import given_to
from workbench.engine import blame, loading
from workbench.engine.compiling import Report

_MOST = 100_000
_PLAIN = (bool, int, float, str, type(None))
_BY_POSITION = inspect.Parameter.VAR_POSITIONAL


def read_configurations(request: ConfigurationsRequest, report: Report) -> ConfigurationsResult:
    """The configurations of a kernel's decorator; a function that makes them is called."""
    source, choice = request.source, request.kernel
    report("reading the configurations of the decorator")
    try:
        with blame.blaming(blame.LOADING, source, choice), loading.loaded(source) as module:
            found = getattr(module, choice.name, None)
            if not isinstance(found, AutoTuneImpl):
                message = f"`{choice.name}` has no @autotune decorator when the file is run"
                return ConfigurationsResult(Failure("kernel", message))
            with blame.blaming(blame.BUILDING, source, choice):
                return _result(_configurations(found, choice.args), choice.name)
    except blame.StepError as fault:
        return ConfigurationsResult(fault.failure)


def _configurations(found: AutoTuneImpl, args: Mapping[str, Any]) -> list[Any]:
    configs: Any = found.configs
    if callable(configs):
        takes = inspect.signature(configs).parameters
        takes_all = any(each.kind is _BY_POSITION for each in takes.values())
        own = found.jit_impl.signature.parameters
        required = [name for name, each in own.items() if each.default is each.empty]
        by_position, by_name = given_to(list(takes), takes_all, required, args)
        configs = configs(*by_position, **by_name)
    return list(configs)


def _result(configs: list[Any], kernel: str) -> ConfigurationsResult:
    wrong = next((each for each in configs if not isinstance(each, Mapping)), None)
    if wrong is not None or len(configs) > _MOST:
        what = f"{len(configs):,} entries" if wrong is None else f"a {type(wrong).__name__}"
        message = f"the configurations of `{kernel}` hold {what}, where a sweep takes dicts"
        return ConfigurationsResult(Failure("kernel", message))
    opaque: dict[str, str] = {}
    rows = tuple({str(k): _plain(v, str(k), opaque) for k, v in c.items()} for c in configs)
    return ConfigurationsResult(None, rows, opaque)


def _plain(value: Any, name: str, opaque: dict[str, str]) -> Any:
    """What JSON can hold of a value; the names of others are noted with their type."""
    if isinstance(value, enum.IntEnum):
        return int(value)
    if isinstance(value, str):
        return str(value)  # TileLang's dtypes are texts
    if isinstance(value, (list, tuple)):
        return [_plain(item, name, opaque) for item in value]
    if not isinstance(value, _PLAIN):
        opaque.setdefault(name, type(value).__name__)
        return str(value)
    return value
