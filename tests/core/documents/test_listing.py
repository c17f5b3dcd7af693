"""The JSON of the `kernels` command."""

from __future__ import annotations

import json
from pathlib import Path

from workbench.core.documents.listing import kernel_listing
from workbench.core.documents.reading import parse_document

SOURCE = """\
# /// workbench
# [[case]]
# name = "small"
# args = { N = 4, day = 2024-01-01, far = inf }
# targets = ["h100"]
# rtol = 1e-2
# ///
import tilelang
import tilelang.language as T

@tilelang.jit
def fill(N, tile=(1, 2), dtype=T.float16, **more):
    return build(N)

def ref_program(A):
    return A
"""


def test_a_files_kernels_as_json() -> None:
    listing = kernel_listing(parse_document(SOURCE, Path("fill.py")))
    assert json.loads(json.dumps(listing, allow_nan=False)) == listing
    (entry,) = listing["kernels"]
    assert listing["schema"] == 1
    assert {key: entry[key] for key in ("file", "kernel", "line", "style", "reference")} == {
        "file": "fill.py",
        "kernel": "fill",
        "line": 12,
        "style": "lazy",
        "reference": "ref_program",
    }


def test_parameters_show_their_defaults_and_texts() -> None:
    (entry,) = kernel_listing(parse_document(SOURCE))["kernels"]
    shown = [(p["name"], p["default"], p["default_text"]) for p in entry["parameters"]]
    assert shown == [
        ("N", None, None),
        ("tile", [1, 2], "(1, 2)"),
        ("dtype", None, "T.float16"),
    ]
    assert [p["required"] for p in entry["parameters"]] == [True, False, False]


def test_cases_show_every_key() -> None:
    (entry,) = kernel_listing(parse_document(SOURCE))["kernels"]
    assert entry["cases"] == [
        {
            "name": "small",
            "args": {"N": 4, "day": "2024-01-01", "far": "inf"},
            "targets": ["h100"],
            "dims": {},
            "rtol": 0.01,
            "atol": None,
            "seed": 0,
            "flops": None,
            "baseline": None,
            "line": 2,
        }
    ]
