"""What bounds a kernel's time, in the same words wherever it is told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """A part that bounds a kernel: in a sentence, in a narrow column, and whether it is many."""

    words: str
    short: str
    is_plural: bool = False

    @property
    def sentence(self) -> str:
        """How a sentence of what is bound begins: `Latency bounds`."""
        return f"{self.words[0].upper()}{self.words[1:]} {'bound' if self.is_plural else 'bounds'}"


_BOUNDS = {
    "tensor": Bound("the tensor cores", "tensor cores", True),
    "shared": Bound("shared memory", "shared memory"),
    "issue": Bound("the instructions that an SM issues", "instructions", True),
    "special": Bound("special functions", "special functions", True),
    "float": Bound("the vector units", "vector units", True),
    "conversion": Bound("conversions", "conversions", True),
    "shuffle": Bound("shuffles", "shuffles", True),
    "l2": Bound("the bandwidth of the L2", "L2"),
    "dram": Bound("the bandwidth of memory", "DRAM"),
    "latency": Bound("latency", "latency"),
    "launch": Bound("the launch", "launch"),
    "registers": Bound("registers that spill", "spills", True),
}
# What a roofline calls the parts that it has ceilings of, up to the dtype of a unit.
_CEILINGS = {"vector": "float"}


def bound_of(name: str) -> Bound:
    """The bound that an estimate names."""
    return _BOUNDS.get(name, Bound(name, name))


def is_ceiling(ceiling: str | None, bound: str) -> bool:
    """Whether the ceiling of a roofline, such as `tensor float16` or `l2`, is what bounds."""
    part = (ceiling or "").split(" ")[0]
    return _CEILINGS.get(part, part) == bound
