"""Reading the records of architectures and GPU models, each number under its source.

A file holds one record, `[architecture]` or `[model]`, and is named after it. `[sources]` maps
short keys to citations; every table of numbers is split by them, so `[limits.guide]` holds what
the source `guide` says, and no number can stand without a source.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Mapping
from typing import Any

import tomllib

from workbench.core.plain import PlainError, from_plain
from workbench.core.targets.limits import Limits
from workbench.core.targets.model import Architecture, GpuModel

_PEAKS = ("tensor_tflops", "vector_tflops")
_ARCHITECTURE_KEYS = {"architecture", "sources", "limits", "features"}
_MODEL_KEYS = {"model", "sources", "numbers", *_PEAKS}
_OPTIONAL: dict[str, Any] = {
    "code_arch": None,
    "portable_code_arch": None,
    "last_toolkit": None,
    "aliases": {},
    "notes": [],
}


class RecordError(ValueError):
    """A target's file does not follow the form; the message names the file and the key."""


def read_records(folder: pathlib.Path) -> tuple[list[Architecture], list[GpuModel]]:
    """All records of the folder's `*.toml` files, by file name. Raises RecordError."""
    architectures, models = [], []
    for path in sorted(folder.glob("*.toml")):
        try:
            record = parse_record(path.read_text(encoding="utf-8"))
        except (RecordError, PlainError, tomllib.TOMLDecodeError) as error:
            raise RecordError(f"{path}: {error}") from error
        if record.name != path.stem:
            raise RecordError(f"{path}: holds the record {record.name!r}; name the file after it")
        if isinstance(record, Architecture):
            architectures.append(record)
        else:
            models.append(record)
    return architectures, models


def parse_record(text: str) -> Architecture | GpuModel:
    """One record from its TOML text. Raises RecordError, PlainError or TOMLDecodeError."""
    data = tomllib.loads(text)
    return _parse_architecture(data) if "architecture" in data else _parse_model(data)


def _parse_architecture(data: Mapping[str, Any]) -> Architecture:
    _check_keys(data, _ARCHITECTURE_KEYS, "the file")
    citations = data.get("sources", {})
    limits, sources = _sourced(data.get("limits", {}), citations, "limits")
    _check_keys(limits, _field_names(Limits), "limits")
    features = []
    for key, names in data.get("features", {}).items():
        citation = _citation(citations, key, "features")
        features += names
        sources |= {f"features.{name}": citation for name in names}
    head = {**_OPTIONAL, **data["architecture"]}
    _check_keys(head, _field_names(Architecture), "architecture")
    derived = {"limits": limits, "features": features, "sources": sources}
    return from_plain(Architecture, {**head, **derived})


def _parse_model(data: Mapping[str, Any]) -> GpuModel:
    if "model" not in data:
        raise RecordError("neither [architecture] nor [model] is there")
    _check_keys(data, _MODEL_KEYS, "the file")
    citations = data.get("sources", {})
    numbers, sources = _sourced(data.get("numbers", {}), citations, "numbers")
    peaks = {}
    for table in _PEAKS:
        peaks[table], cited = _sourced(data.get(table, {}), citations, table)
        sources |= {f"{table}.{key}": citation for key, citation in cited.items()}
    head = {"aliases": {}, "notes": [], **data["model"]}
    _check_keys({**head, **numbers}, _field_names(GpuModel), "model")
    return from_plain(GpuModel, {**head, **numbers, **peaks, "sources": sources})


def _sourced(
    tables: Mapping[str, Any], citations: Mapping[str, str], where: str
) -> tuple[dict[str, Any], dict[str, str]]:
    """The numbers of all the tables together, and the citation of each."""
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for key, numbers in tables.items():
        citation = _citation(citations, key, where)
        for name, value in numbers.items():
            if name in values:
                raise RecordError(f"{where}.{key}.{name} is given by another source already")
            values[name], sources[name] = value, citation
    return values, sources


def _citation(citations: Mapping[str, str], key: str, where: str) -> str:
    if key not in citations:
        raise RecordError(f"{where}.{key}: no source {key!r} in [sources]")
    return citations[key]


def _field_names(record: type[Any]) -> set[str]:
    return {field.name for field in dataclasses.fields(record)}


def _check_keys(data: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(data) - known)
    if unknown:
        raise RecordError(f"{where}: unknown key {unknown[0]!r}")
