"""The tensors of a verification: which parameters go in, which come out, and their values."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from workbench.engine.faults import DocumentFaultError, first_line
from workbench.engine.simulator import Parameter
from workbench.engine.simulator.dtypes import PACKED
from workbench.engine.verify.made_inputs import check_made

DEFAULT_DIM = 257  # odd and no multiple of any tile, so that tails are met

_TORCH_NAMES = {"float8_e4m3": "float8_e4m3fn", "custom[tfloat32]": "float32"}
# What outputs hold before a run differs from what the simulator's on-chip memory holds (NaN as
# numpy writes it, bytes 0xA5), so that what a kernel copied from there is not taken for it.
_POISON_BYTE = 0xD7
_POISON_NAN = {
    torch.float16: (torch.int16, 0x7EA5),
    torch.bfloat16: (torch.int16, 0x7FE5),
    torch.float32: (torch.int32, 0x7FE5A5A5),
    torch.float64: (torch.int64, 0x7FFDA5A5A5A5A5A5),
}
_FP8_NAN = 0x7F  # in OCP's formats
_RANDOM_RANGES = {  # integers that may be indices or lengths stay small; packed bytes use all bits
    "int8": (-128, 128),
    "uint8": (0, 256),
    "bool": (0, 2),
}


class TensorError(DocumentFaultError):
    """The document's inputs do not fit the kernel's parameters; the message names both."""


@dataclass(frozen=True)
class Binding:
    """Every parameter's value: a torch tensor, or a number for a scalar.

    `inputs` and `outputs` are positions among the parameters; one that is both is updated.
    `dims` are the dynamic dimensions that were chosen here, because nobody gave them.
    """

    values: tuple[Any, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    dims: Mapping[str, int]


def torch_dtype(name: str) -> torch.dtype:
    """Torch's dtype for TileLang's name of one; raises TensorError where torch has none."""
    found = getattr(torch, _TORCH_NAMES.get(name, name), None)
    if not isinstance(found, torch.dtype):
        raise TensorError(f"torch has no dtype {name}, so inputs of it must come from make_inputs")
    return found


def bind(
    parameters: Sequence[Parameter],
    declared: tuple[int, ...] | None,
    module: types.ModuleType,
    args: Mapping[str, Any],
    dims: Mapping[str, int],
    seed: int,
) -> Binding:
    """Values for all parameters: the document's `make_inputs` where it has it, else random ones.

    `declared` are the decorator's outputs. Outputs are poisoned (NaN, or bytes 0xD7), so that an
    element that nobody writes cannot pass. Of 4-bit types there are two elements to a byte, uint8.
    """
    torch.manual_seed(seed)
    make_inputs = getattr(module, "make_inputs", None)
    if make_inputs is not None:
        made = make_inputs(**_wanted(make_inputs, args))
        return _bind_made(
            parameters, declared, made, first_line(make_inputs, getattr(module, "__file__", None))
        )
    outputs = declared if declared is not None else written_only(parameters)
    chosen = _missing_dims(parameters, dims)
    sizes = {**dims, **chosen}
    generator = torch.Generator().manual_seed(seed)
    values = [
        poisoned(*_storage(p, sizes)) if i in outputs else _random_value(p, sizes, generator)
        for i, p in enumerate(parameters)
    ]
    if not outputs:
        outputs = tuple(i for i, p in enumerate(parameters) if p.writes)
    inputs = _inputs_beside(parameters, outputs)
    return Binding(tuple(values), inputs, outputs, chosen)


def written_only(parameters: Sequence[Parameter]) -> tuple[int, ...]:
    """The parameters that the kernel writes and never reads: the outputs where none is declared."""
    return tuple(i for i, p in enumerate(parameters) if p.is_buffer and p.writes and not p.reads)


def poisoned(shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """A fresh tensor of NaN with bits of its own, or for integers of bytes 0xD7."""
    tensor = torch.empty(list(shape), dtype=dtype)
    if dtype == torch.bool:
        return tensor.fill_(False)
    if dtype in _POISON_NAN:
        bits, nan = _POISON_NAN[dtype]
        tensor.view(bits).fill_(nan)
        return tensor
    tensor.view(torch.uint8).fill_(_FP8_NAN if dtype.is_floating_point else _POISON_BYTE)
    return tensor


def _bind_made(
    parameters: Sequence[Parameter], declared: tuple[int, ...] | None, made: Any, line: int | None
) -> Binding:
    tensors = [_on_cpu(v) for v in (made if isinstance(made, (tuple, list)) else [made])]
    count = len(parameters)
    if len(tensors) == count:
        check_made(parameters, dict(enumerate(tensors)), torch_dtype, line)
        outputs = declared if declared is not None else (count - 1,)
        return Binding(tuple(tensors), tuple(range(count)), outputs, {})
    if declared is None or len(tensors) != count - len(declared):
        message = f"make_inputs returned {len(tensors)} values for {_named(parameters)}"
        raise TensorError(message, line)
    inputs = tuple(i for i in range(count) if i not in declared)
    values = dict(zip(inputs, tensors, strict=True))
    check_made(parameters, values, torch_dtype, line)
    sizes = _sizes_from(parameters, values)
    for index in declared:
        parameter = parameters[index]
        values[index] = poisoned(*_storage(parameter, sizes))
    return Binding(tuple(values[i] for i in range(count)), inputs, declared, {})


def _on_cpu(value: Any) -> Any:
    """A document may make its inputs on a GPU; they are moved to where the kernel runs."""
    return value.cpu() if isinstance(value, torch.Tensor) else value


def _named(parameters: Sequence[Parameter]) -> str:
    return f"a kernel of {len(parameters)} parameters ({', '.join(p.name for p in parameters)})"


def _inputs_beside(parameters: Sequence[Parameter], outputs: Sequence[int]) -> tuple[int, ...]:
    return tuple(i for i, p in enumerate(parameters) if i not in outputs or p.reads)


def _wanted(function: Any, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the case that make_inputs takes: it need not name all of the kernel's."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & 0x08:  # inspect.CO_VARKEYWORDS
        return dict(args)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return {name: value for name, value in args.items() if name in names}


def _missing_dims(parameters: Sequence[Parameter], dims: Mapping[str, int]) -> dict[str, int]:
    names = [d for p in parameters for d in p.shape if isinstance(d, str) and d.isidentifier()]
    return {name: DEFAULT_DIM for name in names if name not in dims}


def _shape(parameter: Parameter, sizes: Mapping[str, int]) -> list[int]:
    return [d if isinstance(d, int) else _evaluated(d, sizes, parameter) for d in parameter.shape]


def _storage(parameter: Parameter, sizes: Mapping[str, int]) -> tuple[list[int], torch.dtype]:
    """Shape and dtype of a parameter's tensor, with two elements of a 4-bit type to a byte."""
    shape = _shape(parameter, sizes)
    if parameter.dtype not in PACKED:
        return shape, torch_dtype(parameter.dtype)
    if not shape or shape[-1] % 2:
        raise TensorError(f"{parameter.name} has an odd number of {parameter.dtype} in a row")
    return [*shape[:-1], shape[-1] // 2], torch.uint8


def _evaluated(expression: str, sizes: Mapping[str, int], parameter: Parameter) -> int:
    try:
        return int(eval(expression, {"__builtins__": {}}, dict(sizes)))
    except (NameError, SyntaxError, TypeError, ZeroDivisionError) as error:
        raise TensorError(
            f"the extent {expression!r} of {parameter.name} is not known: "
            f"give its dimensions in the case's dims ({error})"
        ) from error


def _sizes_from(parameters: Sequence[Parameter], values: Mapping[int, Any]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for index, value in values.items():
        if isinstance(value, torch.Tensor):
            for name, size in zip(parameters[index].shape, value.shape, strict=False):
                if isinstance(name, str):
                    sizes.setdefault(name, size)
    return sizes


def _random_value(
    parameter: Parameter, sizes: Mapping[str, int], generator: torch.Generator
) -> Any:
    if not parameter.is_buffer:
        return sizes.get(parameter.name, 1)
    shape, dtype = _storage(parameter, sizes)
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator).to(dtype)
    name = "uint8" if parameter.dtype in PACKED else parameter.dtype
    low, high = _RANDOM_RANGES.get(name, (0, 8))
    return torch.randint(low, high, shape, generator=generator, dtype=torch.int64).to(dtype)
