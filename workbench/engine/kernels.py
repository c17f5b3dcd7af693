"""Builds the tile-level PrimFunc of a kernel, whichever of the styles it is written in."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tilelang.backend.target import determine_target
from tilelang.jit import JITImpl
from tvm import tirx

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import KernelChoice

_CONFIGS, _FLAGS = "tilelang_pass_configs", "tilelang_compile_flags"


class KernelBuildError(Exception):
    """The named object is not a kernel, or did not return one; the message says which."""


@dataclass(frozen=True)
class BuiltKernel:
    """A PrimFunc with what its decorator says: outputs, pass configuration and compiler flags.

    `out_indices` are positions among the parameters, from 0; None where no output is declared.
    """

    func: Any
    out_indices: tuple[int, ...] | None
    pass_configs: Mapping[str, Any]
    compile_flags: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def build(module: types.ModuleType, choice: KernelChoice, target: Any) -> BuiltKernel:
    """The kernel `choice.name` of a loaded document, built with its arguments inside `target`.

    `target` is a tvm Target. TileLang chooses layouts and instructions by the target that is
    current while the PrimFunc is built, so a PrimFunc belongs to one target.
    """
    found = getattr(module, choice.name, None)
    if found is None:
        raise KernelBuildError(f"the file defines no kernel {choice.name!r} when it is run")
    with target:
        return _with_annotations(_build_object(found, choice, target))


def _build_object(found: Any, choice: KernelChoice, target: Any) -> BuiltKernel:
    jit = _jit_of(found)
    if jit is not None:
        return _build_jit(jit, choice, target)
    if isinstance(found, tirx.PrimFunc):
        return BuiltKernel(found, _declared_outputs(found, None), {}, ())
    if callable(found):
        return _build_factory(found, choice, target)
    kind = type(found).__name__
    raise KernelBuildError(
        f"{choice.name!r} is a {kind}, not a kernel or a function that makes one"
    )


def _jit_of(found: Any) -> JITImpl | None:
    """The jit object itself, or the one below @autotune."""
    inner = getattr(found, "jit_impl", found)
    return inner if isinstance(inner, JITImpl) else None


def _build_jit(jit: JITImpl, choice: KernelChoice, target: Any) -> BuiltKernel:
    notes = _target_note(jit, choice, target)
    jit.target = None  # the selected target decides, not the one in the decorator
    func = jit.get_tir(**{name: _hashable(v) for name, v in choice.args.items()})
    flags = jit.compile_flags or ()
    return BuiltKernel(
        func,
        _declared_outputs(func, jit.out_idx),
        dict(jit.pass_configs or {}),
        (flags,) if isinstance(flags, str) else tuple(flags),
        notes,
    )


def _build_factory(factory: Callable[..., Any], choice: KernelChoice, target: Any) -> BuiltKernel:
    made = factory(**_accepted(factory, choice.args))
    if isinstance(made, tirx.PrimFunc):
        return BuiltKernel(made, _declared_outputs(made, None), {}, ())
    inner = getattr(made, "prim_func", None)
    if isinstance(inner, tirx.PrimFunc):  # a JITKernel: the factory called a jit function
        outputs = getattr(getattr(made, "adapter", None), "result_idx", None)
        return BuiltKernel(inner, _declared_outputs(inner, outputs), made.pass_configs or {}, ())
    if _jit_of(made) is not None:
        return _build_object(made, KernelChoice(choice.name, choice.style, {}, choice.line), target)
    kind = type(made).__name__
    raise KernelBuildError(f"{choice.name!r} returned a {kind} where a T.prim_func is expected")


def _with_annotations(built: BuiltKernel) -> BuiltKernel:
    """With what T.annotate_pass_configs and T.annotate_compile_flags say in the kernel's body.

    The decorator's configuration wins, its flags follow (tilelang/jit/__init__.py 0.1.15, compile).
    """
    attrs = built.func.attrs
    if not attrs:
        return built
    configs = dict(attrs[_CONFIGS]) if _CONFIGS in attrs else {}
    flags = tuple(map(str, attrs[_FLAGS])) if _FLAGS in attrs else ()
    own = {str(name): _plain(value) for name, value in configs.items()}
    return replace(
        built,
        pass_configs={**own, **built.pass_configs},
        compile_flags=(*flags, *built.compile_flags),
    )


def _plain(value: Any) -> Any:
    """A number or a text of TVM as Python's; else the value."""
    return getattr(value, "value", value)


def _accepted(factory: Callable[..., Any], args: Mapping[str, Any]) -> dict[str, Any]:
    inspect.signature(factory).bind(**args)  # a TypeError that names the argument, before the body
    return {name: _hashable(value) for name, value in args.items()}


def _declared_outputs(func: Any, out_idx: Any) -> tuple[int, ...] | None:
    if out_idx is None and func.attrs and "tilelang_out_idx" in func.attrs:
        out_idx = [int(i) for i in func.attrs["tilelang_out_idx"]]
    if out_idx is None:
        return None
    count = len(func.params)
    indices = [out_idx] if isinstance(out_idx, int) else list(out_idx)
    wrong = [i for i in indices if not -count <= i < count]
    if wrong:
        raise KernelBuildError(f"out_idx {wrong[0]} names no parameter: the kernel has {count}")
    return tuple(sorted({int(i) % count for i in indices}))


def _target_note(jit: JITImpl, choice: KernelChoice, target: Any) -> tuple[Diagnostic, ...]:
    if jit.target is None or jit.target == "auto" or _same_target(jit.target, target):
        return ()
    message = f"the decorator's target={jit.target!r} is not used: the selected target decides"
    where = TextRange(choice.line) if choice.line else None
    return (Diagnostic("target-overridden", Severity.INFO, message, where, stage="lower"),)


def _same_target(written: Any, target: Any) -> bool:
    try:
        return str(determine_target(written, return_object=True)) == str(target)
    except Exception:  # tvm raises its own kinds for what it cannot parse or find a GPU for
        return False


def _hashable(value: Any) -> Any:
    """Lists as tuples: TileLang keys its caches by arguments, and JSON has no tuples."""
    if isinstance(value, (list, tuple)):
        return tuple(_hashable(item) for item in value)
    return value
