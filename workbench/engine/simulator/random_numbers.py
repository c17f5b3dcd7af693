"""Random numbers as cuRAND's Philox generator gives them: a state for each thread.

Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (Philox4x32-10), and cuRAND's
device API: the sequence number is the upper half of the counter, and an offset counts numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.registry import call, helper, operation
from workbench.engine.simulator.translator import Translator

Array = np.ndarray[Any, Any]
_GENERATOR = "curandStatePhilox4_32_10_t"
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_LOW = np.uint64(0xFFFFFFFF)
_WORD = np.uint64(32)


def philox(counter: list[Array], key: list[Array]) -> Array:
    """Return four 32-bit numbers (the last axis) for counters of four words and keys of two."""
    words = [np.asarray(each, np.uint64) for each in counter]
    first, second = (np.asarray(each, np.uint64) for each in key)
    for _ in range(_ROUNDS):
        left = words[0] * np.uint64(_MULTIPLIERS[0])
        right = words[2] * np.uint64(_MULTIPLIERS[1])
        words = [
            (right >> _WORD) ^ words[1] ^ first,
            right & _LOW,
            (left >> _WORD) ^ words[3] ^ second,
            left & _LOW,
        ]
        first = (first + np.uint64(_KEY_STEPS[0])) & _LOW
        second = (second + np.uint64(_KEY_STEPS[1])) & _LOW
    return np.stack(np.broadcast_arrays(*words), axis=-1).astype(np.uint32)


class Generator:
    """The states of all threads: one seed, sequence and position each."""

    def __init__(self, seed: Any, sequence: Any, offset: Any) -> None:
        self._seed, self._sequence, self._position = (
            np.asarray(each).astype(np.int64).astype(np.uint64) for each in (seed, sequence, offset)
        )

    def draw(self, mask: Any, count: Array | None = None) -> Array:
        """Return the next number of each thread, or so many after each other of the only one."""
        position = self._position if count is None else self._position + count
        block = position // np.uint64(4)
        counter = [block & _LOW, block >> _WORD, self._sequence & _LOW, self._sequence >> _WORD]
        words = philox(counter, [self._seed & _LOW, self._seed >> _WORD])
        chosen = np.broadcast_to(position % np.uint64(4), words.shape[:-1])[..., None]
        taken = np.take_along_axis(words, chosen.astype(np.int64), axis=-1)[..., 0]
        self._advance(mask, count)
        return taken

    def _advance(self, mask: Any, count: Array | None) -> None:
        steps = np.asarray(True if mask is None else mask)
        if count is not None:
            steps = np.broadcast_to(steps, count.shape).sum()
        self._position = self._position + steps.astype(np.uint64)


@helper
def generator(seed: Any, sequence: Any, offset: Any) -> Generator:
    """Return fresh states."""
    return Generator(seed, sequence, offset)


@helper
def draw(states: Generator, mask: Any, shape: tuple[int, ...] | None) -> Array:
    """Return the next number of each thread; with a shape that of each iteration, in order."""
    if shape is None:
        return states.draw(mask)
    chosen = np.broadcast_to(True if mask is None else mask, shape).reshape(-1)
    order = np.cumsum(chosen) - chosen  # iterations that draw nothing take no number
    return states.draw(mask if mask is None else chosen, order.astype(np.uint64)).reshape(shape)


@operation("tl.rng_init")
def _initialise(t: Translator, node: Any) -> None:
    """The arguments are the seed, the sequence, the offset and the generator's name."""
    kind = str(node.args[3].value)
    if kind != _GENERATOR:
        raise t.unsupported(f"the random number generator {kind}")
    values = ", ".join(t.expression(each).code for each in list(node.args)[:3])
    t.random_states = t.emitter.assign(f"generator({values})", "random")


def _draw(t: Translator) -> Value:
    if t.random_states is None:
        raise t.unsupported("random numbers before T.rng_init")
    if t.in_parallel and np.prod(t.threads) > 1:
        raise t.unsupported("random numbers in T.Parallel: which thread draws which is not known")
    shape = t.shape_code() if t.in_parallel else None
    code = f"draw({t.random_states}, {t.mask_code()}, {shape})"
    return Value(t.emitter.assign(code, "drawn"), "uint32", t.rank)


@call("tl.rng_rand")
def _integer(t: Translator, node: Any) -> Value:
    return _draw(t)


@call("tl.rng_rand_float")
def _uniform(t: Translator, node: Any) -> Value:
    """In (0, 1], from 32 bits, as curand_uniform does."""
    if str(node.dtype) != "float32" or str(node.args[-1].value) != "uniform":
        raise t.unsupported("random numbers other than float32 and uniform")
    code = f"({_draw(t).code} * np.float32(2.0**-32) + np.float32(2.0**-33))"
    return Value(f"{code}.astype(np.float32)", "float32", t.rank)
