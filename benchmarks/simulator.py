"""Times the simulator on three kernels, beside Triton's interpreter on the same shapes and tiles.

    python benchmarks/simulator.py [--repeats 5]

The time of a kernel is the best of the repeats, without translation, all checks off; `checked` is
the same with all of them on. Triton is timed once a kernel where it is installed
(`pip install triton`): it interprets in seconds. Results of both are compared with torch's.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
os.environ["TRITON_INTERPRET"] = "1"

from workbench.engine import environment  # noqa: E402 - the path comes first

environment.prepare()

import torch  # noqa: E402 - quietly, by `prepare`

from workbench.core.jobs import KernelChoice, Source  # noqa: E402
from workbench.core.targets.table import load_targets  # noqa: E402
from workbench.engine import kernels, loading, lowering, simulator  # noqa: E402


@dataclass(frozen=True)
class Subject:
    """A kernel, its arguments, the shapes of its inputs, and the goals: s, and times faster."""

    name: str
    path: Path
    kernel: str
    args: dict[str, int]
    shapes: tuple[tuple[int, ...], ...]
    output: tuple[int, ...]
    goal: float
    faster: float
    reference: Callable[..., torch.Tensor]


_HEADS = (1, 8, 2048, 128)
SUBJECTS = (
    Subject(
        "gemm",
        ROOT / "kernels" / "gemm.py",
        "matmul",
        {"M": 1024, "N": 1024, "K": 1024},
        ((1024, 1024), (1024, 1024)),
        (1024, 1024),
        0.15,
        20,
        lambda a, b: a.float() @ b.float(),
    ),
    Subject(
        "attention",
        ROOT / "benchmarks" / "attention.py",
        "attention",
        {"batch": 1, "heads": 8, "sequence": 2048, "dim": 128},
        (_HEADS, _HEADS, _HEADS),
        _HEADS,
        1.0,
        10,
        lambda *qkv: torch.nn.functional.scaled_dot_product_attention(*(x.float() for x in qkv)),
    ),
    Subject(
        "softmax",
        ROOT / "kernels" / "softmax.py",
        "softmax",
        {"M": 1024, "N": 8192},
        ((1024, 8192),),
        (1024, 8192),
        0.4,
        4,
        lambda x: torch.softmax(x.float(), dim=1),
    ),
)


def main() -> None:
    """Print a row for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    others = triton_kernels()
    print(f"{torch.get_num_threads()} threads; best of {repeats}; Triton's interpreter once")
    print("kernel      simulator   goal   checked          Triton  times faster")
    for subject in SUBJECTS:
        torch.manual_seed(0)
        inputs = [torch.randn(shape, dtype=torch.float16) for shape in subject.shapes]
        expected = subject.reference(*inputs)
        plain = simulated(subject, inputs, expected, repeats, checked=False)
        checked = simulated(subject, inputs, expected, repeats, checked=True)
        row = f"{subject.name:10}  {plain:7.3f} s  {subject.goal:5.2f}"
        row += f"  {checked:6.3f} s ({checked / plain:.1f} x)"
        if others is None:
            print(f"{row}  not installed")
            continue
        seconds = interpreted(getattr(others, subject.name), inputs, expected)
        print(f"{row}  {seconds:6.2f} s  {seconds / plain:.0f} (goal {subject.faster:.0f})")


def simulated(
    subject: Subject,
    inputs: Sequence[torch.Tensor],
    expected: torch.Tensor,
    repeats: int,
    checked: bool,
) -> float:
    """The best wall time in s; its result is compared with `expected`."""
    program = simulator.translate(built(subject).func, checks=checked)
    output = torch.empty(subject.output, dtype=torch.float16)
    values = [x.numpy() for x in (*inputs, output)]
    options = simulator.SimulationOptions(poison=checked)
    seconds = min(program.run(values, options).seconds for _ in range(repeats))
    torch.testing.assert_close(output.float(), expected, rtol=1e-2, atol=1e-2)
    return seconds


def built(subject: Subject) -> kernels.BuiltKernel:
    """The kernel's PrimFunc for an H100."""
    target = lowering.tvm_target(load_targets().resolve("h100"))
    source = Source(str(subject.path), subject.path.read_text(), str(ROOT), True)
    choice = KernelChoice(subject.kernel, "lazy", subject.args)
    with target, loading.loaded(source) as module:
        return kernels.build(module, choice, target)


def interpreted(
    run: Callable[..., torch.Tensor], inputs: Sequence[torch.Tensor], expected: torch.Tensor
) -> float:
    """Wall time in s of Triton's interpreter; its result is compared with `expected`."""
    begun = time.perf_counter()
    output = run(*inputs)
    seconds = time.perf_counter() - begun
    torch.testing.assert_close(output.float(), expected, rtol=1e-2, atol=1e-2)
    return seconds


def triton_kernels() -> types.ModuleType | Any | None:
    """The kernels in Triton, None where it is not installed."""
    if importlib.util.find_spec("triton") is None:
        return None
    import triton_kernels as found

    return found


if __name__ == "__main__":
    main()
