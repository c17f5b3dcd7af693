"""The names of the installed TileLang, as the reference has them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from workbench.core.data_files import find_data
from workbench.core.reference.api_model import ApiEntry
from workbench.core.reference.model import CodeBlock
from workbench.core.reference.texts import read_texts
from workbench.engine.reference.introspecting import DIALECTS, read_names

# Names that our examples of mistakes show although TileLang no longer has them.
GONE = {"T.gemm_v2"}


@pytest.fixture(scope="module")
def names() -> dict[str, ApiEntry]:
    return {entry.name: entry for entry in read_names(lambda *_: None)}


def test_a_function_has_its_signature_parameters_and_source(names: dict[str, ApiEntry]) -> None:
    gemm = names["T.gemm"]
    assert gemm.kind == "function"
    assert gemm.signature.startswith("(A: ")
    assert "policy: GemmWarpPolicy = GemmWarpPolicy.Square" in gemm.signature
    clear = next(p for p in gemm.parameters if p.name == "clear_accum")
    assert (clear.annotation, clear.default) == ("bool", "False")
    assert clear.text
    assert gemm.file is not None
    source = Path(gemm.file).read_text().splitlines()
    assert any("def gemm" in line for line in source[(gemm.line or 0) - 1 : (gemm.line or 0) + 3])


def test_each_kind_is_told(names: dict[str, ApiEntry]) -> None:
    kinds = {
        "T.copy": "function",
        "T.device_assert": "macro",
        "T.float16": "dtype",
        "T.Tensor": "class",
        "T.GemmWarpPolicy": "enum",
    }
    assert {name: names[name].kind for name in kinds} == kinds
    assert names["T.GemmWarpPolicy"].members == ("Square", "FullRow", "FullCol")


def test_dialects_have_their_own_names_and_signatures(names: dict[str, ApiEntry]) -> None:
    assert names["T.gemm"].dialects == DIALECTS
    assert names["T.alloc_l1"].dialects == ("tilelang.ascend.language",)
    forms = {form.dialect: form.signature for form in names["T.Kernel"].forms}
    assert "threads" in names["T.Kernel"].signature
    assert "threads" not in forms["tilelang.cpu.language"]


def test_vectors_of_a_type_are_told_with_it(names: dict[str, ApiEntry]) -> None:
    assert "float16x8" in names["T.float16"].aliases
    assert "T.float16x8" not in names


def test_classes_are_found_at_their_line(names: dict[str, ApiEntry]) -> None:
    tensor = names["T.Tensor"]
    assert tensor.file is not None
    assert tensor.line is not None
    assert "class TensorProxy" in Path(tensor.file).read_text().splitlines()[tensor.line - 1]


def test_nothing_of_pythons_own_library_is_listed(names: dict[str, ApiEntry]) -> None:
    homes = {entry.module.split(".")[0] for entry in names.values()}
    assert homes <= {"tilelang", "tvm", "tvm_ffi"}


def test_signatures_show_no_addresses_and_no_classes_in_brackets(
    names: dict[str, ApiEntry],
) -> None:
    odd = [e.name for e in names.values() if re.search(r" at 0x|<class|<function", e.signature)]
    assert not odd


def test_our_own_examples_use_names_that_tilelang_has(names: dict[str, ApiEntry]) -> None:
    known = {*names, *(f"T.{alias}" for entry in names.values() for alias in entry.aliases)}
    unknown = {}
    for code, text in read_texts(find_data("resources") / "reference" / "rules").items():
        for section in text.sections:
            for block in section.blocks:
                if isinstance(block, CodeBlock):
                    used = set(re.findall(r"\bT\.[A-Za-z_]\w*", block.text))
                    if missing := used - known - GONE:
                        unknown[code] = missing
    assert not unknown


def test_examples_that_are_right_are_python(names: dict[str, ApiEntry]) -> None:
    """Statements whose body is left out get one; the rest has to be read by Python as it is."""
    for code, text in read_texts(find_data("resources") / "reference" / "rules").items():
        for section in text.sections:
            for block in section.blocks:
                if isinstance(block, CodeBlock) and block.tone.value == "right":
                    lines = block.text.splitlines()
                    body = lines[-1].split("#")[0].rstrip().endswith(":")
                    indent = " " * (len(lines[-1]) - len(lines[-1].lstrip()) + 4)
                    source = block.text + (f"\n{indent}pass" if body else "")
                    try:
                        ast.parse(source)
                    except SyntaxError as error:
                        pytest.fail(f"{code}: {error}")
