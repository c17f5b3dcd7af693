"""The stand-alone script of a bundle: it needs tilelang and torch, and the kernel's file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.core.bug_bundle.suspicion import Suspicion, SuspicionKind

_HEAD = '''\
"""Reproduces: {title}

    python reproduce.py

Needs tilelang and torch{more}. Ends with status 1 where it is reproduced, with 0 where it is not.
"""

import importlib.util
import json
import pathlib
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
KERNEL = {kernel!r}
ARGS = json.loads({args!r})
TARGET = json.loads({target!r})
SIGNATURE = {signature!r}


def tuples(value):
    """JSON has no tuples, and TileLang keys its caches by arguments."""
    return tuple(map(tuples, value)) if isinstance(value, list) else value


def load():
    sys.path.insert(0, str(HERE))
    spec = importlib.util.spec_from_file_location("kernel", HERE / "kernel.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernel"] = module
    spec.loader.exec_module(module)
    return module


def build(module):
    """The PrimFunc and its pass configuration."""
    args = {{name: tuples(value) for name, value in ARGS.items()}}
    found = getattr(module, KERNEL)
    found = getattr(found, "jit_impl", found)  # below @autotune
    if not hasattr(found, "get_tir") and callable(found) and not hasattr(found, "buffer_map"):
        found = found(**args)
        args = {{}}
    if hasattr(found, "get_tir"):
        found.target = None  # the target below decides
        return found.get_tir(**args), dict(found.pass_configs or {{}})
    func = getattr(found, "prim_func", found)
    return func, dict(getattr(found, "pass_configs", None) or {{}})


def lower():
    from tilelang import lower, tvm
    from tilelang.backend.target import determine_target
    from tilelang.jit.kernel import normalize_pass_configs

    target = determine_target(TARGET, return_object=True)
    with target:
        func, configs = build(load())
    config = dict(normalize_pass_configs(configs) or {{}})
    with tvm.transform.PassContext(opt_level=3, config=config), target:
        return lower(func, target=target)
'''
_RAISES = """

def main():
    try:
        lower()
    except Exception:
        traceback.print_exc()
        print("\\nreproduced: the compiler raised the error above")
        print("expected:", SIGNATURE)
        return 1
    print("not reproduced: the kernel lowers")
    return 0
"""
_REFUSED = """

def main():
    import os
    import shutil
    import subprocess

    from tilelang.env import CUTLASS_INCLUDE_DIR, TILELANG_TEMPLATE_PATH

    source = HERE / "reproduced.cu"
    source.write_text(lower().kernel_source)
    home = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "nvcc")
    nvcc = shutil.which("nvcc") or (str(home) if home.exists() else None)
    if nvcc is None:
        print(f"nvcc is not on PATH: compile {source.name} by hand")
        return 2
    arch = str(TARGET["arch"]).replace("sm_", "compute_")
    include = [f"-I{TILELANG_TEMPLATE_PATH}", f"-I{CUTLASS_INCLUDE_DIR}"]
    done = subprocess.run(
        [nvcc, "-ptx", f"-arch={arch}", "-std=c++20", *include, str(source), "-o", os.devnull]
    )
    print("reproduced: nvcc refuses it" if done.returncode else "not reproduced: nvcc takes it")
    return 1 if done.returncode else 0
"""
_SAME_SOURCE = """

def main():
    source = lower().kernel_source
    (HERE / "reproduced.cu").write_text(source)
    known = HERE / "generated.cu"
    same = known.exists() and known.read_text() == source
    print(f"{'reproduced' if same else 'not reproduced'}: the generated source is "
          f"{'the one' if same else 'not the one'} of the bundle; README.md tells the hazard")
    return 1 if same else 0
"""
_ON_DEVICE = """

def main():
    import tilelang
    import torch

    module = load()
    args = {name: tuples(value) for name, value in ARGS.items()}
    found = getattr(module, KERNEL)
    kernel = found(**args)
    if not hasattr(kernel, "get_profiler"):
        kernel = tilelang.compile(kernel)
    torch.manual_seed(0)
    if hasattr(module, "make_inputs"):
        inputs = [x.cuda() if hasattr(x, "cuda") else x for x in module.make_inputs(**args)]
    else:
        inputs = kernel.get_profiler()._get_inputs()
    got = kernel(*inputs)
    expected = getattr(module, REFERENCE)(*inputs)
    pairs = zip(*((x,) if isinstance(x, torch.Tensor) else x for x in (got, expected)))
    wrong = [not torch.allclose(a.float(), b.float(), RTOL, ATOL) for a, b in pairs]
    print("reproduced: outputs differ" if any(wrong) else "not reproduced: outputs agree")
    return 1 if any(wrong) else 0
"""
_TAIL = """

if __name__ == "__main__":
    sys.exit(main())
"""
_BODIES = {
    SuspicionKind.INTERNAL: _RAISES,
    SuspicionKind.CRASH: _RAISES,
    SuspicionKind.REFUSED: _REFUSED,
    SuspicionKind.HAZARD: _SAME_SOURCE,
    SuspicionKind.DEVICE: _ON_DEVICE,
}
_NEEDS = {SuspicionKind.REFUSED: ", and nvcc", SuspicionKind.DEVICE: ", and the GPU"}


def reproduction(
    suspicion: Suspicion,
    kernel: str,
    args: Mapping[str, Any],
    lowering: Mapping[str, Any] | str,
    reference: str | None = None,
    tolerances: tuple[float, float] = (1e-2, 1e-2),
) -> str:
    """The script that shows what is suspected, beside the kernel's `kernel.py`.

    `lowering` is TileLang's target. `reference` and `tolerances` (relative, absolute) are for what
    a device computes.
    """
    head = _HEAD.format(
        title=suspicion.title,
        more=_NEEDS.get(suspicion.kind, ""),
        kernel=kernel,
        args=json.dumps(dict(args)),
        target=json.dumps(lowering if isinstance(lowering, str) else dict(lowering)),
        signature=suspicion.signature,
    )
    if suspicion.kind is SuspicionKind.DEVICE:
        head += f"\n\nREFERENCE, RTOL, ATOL = {reference!r}, {tolerances[0]}, {tolerances[1]}\n"
    return f"{head}{_BODIES[suspicion.kind]}{_TAIL}"
