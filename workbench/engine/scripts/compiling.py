"""Puts the simulator where TileLang compiles: kernels are built as ever, and launched elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tilelang
import tilelang.backend.target as target_registry
from tilelang import tvm
from tilelang.backend.execution_backend import ExecutionBackendSpec
from tilelang.engine.param import KernelParam
from tilelang.jit import JITImpl
from tilelang.jit.adapter.base import BaseKernelAdapter
from tilelang.jit.kernel import JITKernel

from workbench.core.targets.model import Target
from workbench.engine.scripts import naming
from workbench.engine.scripts.journal import Journal
from workbench.engine.scripts.launching import Launcher


class SimulatorAdapter(BaseKernelAdapter):  # type: ignore[misc]
    """What a JITKernel holds in place of a compiled module; sources are lowered when asked for."""

    def __init__(
        self, kernel: Any, func: Any, out_idx: Any, journal: Journal, run: bool, checks: bool
    ) -> None:
        self._kernel = kernel
        self._prim_func = func
        self._journal = journal
        self._execute = run
        self._checks = checks
        self._artifact: Any = None
        indices = list(out_idx) if isinstance(out_idx, (tuple, range)) else out_idx
        super().__init__(None, parameters_of(func), indices)

    @property
    def prim_func(self) -> Any:
        """The kernel's PrimFunc."""
        return self._prim_func

    def _convert_torch_func(self) -> Callable[..., Any]:
        launcher = Launcher(
            self._prim_func,
            self.params,
            self.result_idx,
            self._journal,
            self._execute,
            self._checks,
        )
        launcher.kernel = naming.describe(self._prim_func)
        launcher.number = self._journal.kernel(launcher.kernel)
        return launcher

    def get_kernel_source(self, kernel_only: bool = True) -> str:
        """The device source that TileLang generates for the target."""
        return str(self._lowered().kernel_source)

    def get_host_source(self) -> str:
        """The host module's text."""
        module = self._lowered().host_mod
        return module.script() if module is not None else ""

    def _lowered(self) -> Any:
        if self._artifact is None:
            kernel = self._kernel
            config = dict(kernel.pass_configs or {})
            with tvm.transform.PassContext(opt_level=3, config=config), kernel.target:
                self._artifact = tilelang.lower(self._prim_func, target=kernel.target)
        return self._artifact


def parameters_of(func: Any) -> list[Any]:
    """TileLang's description of each parameter, as its own lowering makes it."""
    return [
        KernelParam.from_buffer(func.buffer_map[parameter])
        if parameter in func.buffer_map
        else KernelParam.from_var(parameter)
        for parameter in func.params
    ]


def install(target: Target, journal: Journal, execute: bool = True, checks: bool = False) -> None:
    """Have kernels run in the simulator, and `target` be what is found where none is named."""
    _choose_target(target)

    def create_adapter(kernel: Any, func: Any, out_idx: Any) -> SimulatorAdapter:
        return SimulatorAdapter(kernel, func, out_idx, journal, execute, checks)

    # Whatever executes kernels is not asked, so it need not be installed.
    ExecutionBackendSpec.is_available = lambda spec: True
    JITKernel._compile_and_create_adapter = create_adapter
    compile_call = JITImpl.compile

    def compile_named(jit: Any, *args: Any, **kwargs: Any) -> Any:
        function = getattr(jit.func, "orig_func", None)
        if function is None:
            return compile_call(jit, *args, **kwargs)
        with naming.building(function, args, kwargs):
            return compile_call(jit, *args, **kwargs)

    JITImpl.compile = compile_named


def _choose_target(target: Target) -> None:
    """A bare "cuda" or "hip", and "auto", mean the selected target: there is no GPU to ask."""
    lowering = target.lowering
    kind = lowering if isinstance(lowering, str) else lowering["kind"]

    def of_bare_kind(written: Any) -> Any:
        is_bare = isinstance(written, str) and written.strip() == kind
        return tvm.target.Target(lowering) if is_bare and isinstance(lowering, dict) else None

    target_registry.register_target_normalizer(kind, of_bare_kind, override=True)
    for name in target_registry.list_target_detectors():
        target_registry.register_target_detector(name, lambda: lowering, override=True)
