"""The names that cuda.h (CUDA 13.0) has for the numbers of a tensor map."""

from __future__ import annotations

_TYPES = (
    "UINT8",
    "UINT16",
    "UINT32",
    "INT32",
    "UINT64",
    "INT64",
    "FLOAT16",
    "FLOAT32",
    "FLOAT64",
    "BFLOAT16",
    "FLOAT32_FTZ",
    "TFLOAT32",
    "TFLOAT32_FTZ",
    "16U4_ALIGN8B",
    "16U4_ALIGN16B",
    "16U6_ALIGN16B",
)
_SWIZZLES = (
    "NONE",
    "32B",
    "64B",
    "128B",
    "128B_ATOM_32B",
    "128B_ATOM_32B_FLIP_8B",
    "128B_ATOM_64B",
)
_ENUMERATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "data_type": ("CU_TENSOR_MAP_DATA_TYPE", _TYPES),
    "interleave": ("CU_TENSOR_MAP_INTERLEAVE", ("NONE", "16B", "32B")),
    "swizzle": ("CU_TENSOR_MAP_SWIZZLE", _SWIZZLES),
    "l2_promotion": ("CU_TENSOR_MAP_L2_PROMOTION", ("NONE", "L2_64B", "L2_128B", "L2_256B")),
    "oob_fill": (
        "CU_TENSOR_MAP_FLOAT_OOB_FILL",
        ("NONE", "NAN_REQUEST_ZERO_FMA"),
    ),
}


def cuda_name(field: str, number: int) -> str | None:
    """The name of a number of a tensor map's field; None for one that the header lacks."""
    prefix, names = _ENUMERATIONS[field]
    return f"{prefix}_{names[number]}" if 0 <= number < len(names) else None


def named_fields() -> tuple[str, ...]:
    """The fields of a tensor map that are numbers of an enumeration."""
    return tuple(_ENUMERATIONS)
