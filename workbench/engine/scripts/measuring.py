"""Stands in for what measures time, here where no time means anything, and for autotuning."""

from __future__ import annotations

import math
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tilelang.autotuner.tuner as tuner
import tilelang.profiler
import tilelang.profiler.bench
import torch

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.engine.scripts.journal import Journal

_RESERVED = ("pass_configs",)


class Unmeasured:
    """Answers for a clock: not a number, and a note of the line that asked."""

    def __init__(self, journal: Journal, is_of_script: Callable[[str], bool]) -> None:
        self._journal = journal
        self._is_of_script = is_of_script

    def note(self, name: str) -> None:
        """Note that `name` was called by the script's deepest line."""
        file, line = calling_line(self._is_of_script)
        message = f"{name} was not measured here: it gives nan, and does not call what it is given"
        where = TextRange(line) if line else None
        evidence = {"file": file, "call": name}
        self._journal.diagnostic(
            Diagnostic(
                "not-measured", Severity.INFO, message, where, stage="simulate", evidence=evidence
            )
        )

    def do_bench(self, *args: Any, **kwargs: Any) -> Any:
        """In place of a benchmark: nan, or as many as quantiles are asked for."""
        self.note("do_bench")
        quantiles = kwargs.get("quantiles")
        if quantiles and len(quantiles) > 1:
            return [math.nan] * len(quantiles)
        return math.nan


def install(unmeasured: Unmeasured, config_number: int) -> None:
    """Have TileLang's profiler measure nothing, and its tuner take the configuration asked for."""
    do_bench = unmeasured.do_bench
    tilelang.profiler.do_bench = do_bench
    tilelang.profiler.bench.do_bench = do_bench
    tilelang.profiler.Profiler.do_bench = lambda profiler, *args, **kwargs: do_bench(
        *args, **kwargs
    )

    def tune(autotuner: Any, *args: Any, **kwargs: Any) -> Any:
        unmeasured.note("autotune")
        return _tuned(autotuner, config_number)

    tuner.AutoTuner.run = tune

    class NothingProfiled(_NothingProfiled):
        """What torch.profiler.profile makes here."""

        def __enter__(self) -> NothingProfiled:
            unmeasured.note("torch.profiler.profile")
            return self

    torch.profiler.profile = NothingProfiled


class _NothingProfiled:
    """A profile of a GPU that is not there: without events, and with a table that says so."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.events = _Averages

    def __exit__(self, *args: Any) -> None:
        return None

    def start(self) -> None:
        """Nothing is watched."""

    def stop(self) -> None:
        """Nothing was watched."""

    def step(self) -> None:
        """The next step is not watched either."""

    def key_averages(self, *args: Any, **kwargs: Any) -> _Averages:
        """No averages."""
        return _Averages()


class _Averages(list[Any]):
    """An empty list of averages."""

    def table(self, *args: Any, **kwargs: Any) -> str:
        """The text in place of a table of times."""
        return "(nothing was measured: there is no GPU here)"


def _tuned(autotuner: Any, number: int) -> Any:
    """A result of autotuning that nothing was measured for: one configuration, or what is given."""
    configs = _configurations(autotuner)
    compile_call, _ = autotuner._ensure_jit_functions()
    if _is_given(autotuner, configs):
        return _result(compile_call(), None)
    config = configs[min(number, len(configs) - 1)]
    chosen = {key: value for key, value in config.items() if key not in _RESERVED}
    passes = {tuner._PASS_CONFIGS_KEY: config.get("pass_configs")}
    return _result(compile_call(**chosen, **passes), dict(config))


def _result(kernel: Any, config: dict[str, Any] | None) -> Any:
    kernel.update_tuner_result(latency=math.nan, config=config, ref_latency=None)
    return tuner.AutotuneResult(
        latency=math.nan,
        config=config,
        ref_latency=None,
        libcode=None,
        func=kernel.prim_func,
        kernel=kernel,
    )


def _configurations(autotuner: Any) -> Sequence[Mapping[str, Any]]:
    configs = autotuner.configs
    if callable(configs):
        args, kwargs = autotuner._kernel_parameters or ((), ())
        configs = configs(*args, **dict(kwargs))
    found = list(configs)
    if not found:
        raise ValueError("No configurations to tune, please check your `@autotune` decorator")
    return found


def _is_given(autotuner: Any, configs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the caller gave a tunable argument, so that TileLang does not tune either."""
    if autotuner._kernel_parameters is None:
        return False
    args, kwargs = autotuner._kernel_parameters
    names = list(autotuner._function_parameters or {})
    given = {*names[: len(args)], *(name for name, _ in kwargs)}
    return any(key in given for key in configs[0] if key not in _RESERVED)


def calling_line(is_of_script: Callable[[str], bool]) -> tuple[str | None, int | None]:
    """File and line of the script's innermost frame."""
    for frame, line in traceback.walk_stack(sys._getframe(1)):
        if is_of_script(frame.f_code.co_filename):
            return frame.f_code.co_filename, line
    return None, None
