"""Sets of fields and sentences for each pattern, a module a pattern: what is generated in tests."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from pattern_samples.sample import Sample

_MODULES = [
    importlib.import_module(f"pattern_samples.{found.name}")
    for found in pkgutil.iter_modules(__path__)
    if found.name != "sample"
]
SAMPLES: tuple[Sample, ...] = tuple(s for module in _MODULES for s in module.SAMPLES)
QUICK = tuple(sample for sample in SAMPLES if sample.quick)
GOLDEN = tuple(sample for sample in SAMPLES if sample.golden or sample.shipped)
SENTENCES: tuple[tuple[str, str, dict[str, Any]], ...] = tuple(
    (text, sample, values) for module in _MODULES for text, sample, values in module.SENTENCES
)
"""A sentence, the pattern that it names, and the values that it says."""
