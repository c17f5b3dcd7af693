"""Exports of real kernels: the machine code is TileLang's own, and the files fit together."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from exported_kernels import (
    DYNAMIC,
    SHIPPED,
    exported,
    item_of,
    launch_of,
    put_together,
)

from workbench.core.exporting.model import ExportResult
from workbench.engine import environment, lowering
from workbench.engine.machine_code import disassemble
from workbench.session.exporting import Export
from workbench.session.requests import Item

ORACLE = Path(__file__).resolve().parents[3].parent / "shared/oracle/kernels"
GEMM = SHIPPED / "gemm.py"


@pytest.fixture(scope="module", autouse=True)
def _toolkit() -> None:
    toolkit = environment.cuda_toolkit()
    if toolkit is None or "nvdisasm" not in toolkit.tools:
        pytest.skip("no compiler of machine code here")


@functools.cache
def export_of(path: Path, target: str) -> tuple[ExportResult, Export]:
    return export(item_of(path, target))


def export(item: Item) -> tuple[ExportResult, Export]:
    result, blobs = exported(item)
    assert result.failure is None, result.failure
    return result, put_together(item, result, blobs)


@pytest.fixture(scope="module")
def gemm_h200() -> tuple[ExportResult, Export]:
    return export_of(GEMM, "h200")


def test_the_cubin_is_what_tilelangs_runtime_would_load(
    gemm_h200: tuple[ExportResult, Export],
) -> None:
    from tilelang.cuda.backend import tilelang_callback_cuda_compile

    result, made = gemm_h200
    target = lowering.tvm_target(item_of(GEMM, "h200").target)
    own = bytes(tilelang_callback_cuda_compile(result.texts["source"], target, {}))
    toolkit = environment.cuda_toolkit()
    cubin = made.files["kernel.cubin"]
    assert cubin[:4] == b"\x7fELF"
    assert disassemble(cubin, toolkit) == disassemble(own, toolkit)


@pytest.mark.parametrize(
    ("path", "target", "instruction"),
    [
        pytest.param(GEMM, "a100", "HMMA", marks=pytest.mark.thorough),
        (GEMM, "h200", "HGMMA"),
        pytest.param(SHIPPED / "softmax.py", "h200", "MUFU", marks=pytest.mark.thorough),
        pytest.param(
            ORACLE / "c12_flash_sm80.py", "h200:sm_80", "HMMA", marks=pytest.mark.thorough
        ),
    ],
)
def test_machine_code_has_the_entry_that_the_launch_names(
    path: Path, target: str, instruction: str
) -> None:
    if not path.is_file():
        pytest.skip(f"{path.name} is not here")
    result, made = export_of(path, target)
    launch = launch_of(made)
    (only,) = launch["launches"]
    sass = made.files["kernel.sass"].decode()
    assert f".text.{only['entry']}" in sass
    assert instruction in sass
    assert f".entry {only['entry']}" in made.files["kernel.ptx"].decode()
    assert f".target\t{launch['target']['code']}" in sass
    # What the driver has to be asked for is what the block has beyond 48 KiB.
    assert result.resources is not None
    total = only["shared_dynamic_bytes"] + (result.resources.shared_static_bytes or 0)
    assert only["shared_opt_in"] is (total > 48 * 1024)
    # As many parameters, in as many bytes, as the PTX declares.
    entry = made.files["kernel.ptx"].decode().split(f".entry {only['entry']}(")[1].split(")")[0]
    assert len(re.findall(r"\.param", entry)) == len(only["arguments"])


def test_launch_json_holds_what_the_source_declares(gemm_h200: tuple[ExportResult, Export]) -> None:
    result, made = gemm_h200
    launch = launch_of(made)
    assert (launch["format"], launch["version"]) == ("tilelang-workbench-launch", 1)
    (only,) = launch["launches"]
    source = made.files["kernel.cu"].decode()
    threads = only["block"][0] * only["block"][1] * only["block"][2]
    assert f"__launch_bounds__({threads}, 1) {only['entry']}(" in source
    names = {each["name"]: each["names"] for each in launch["tensor_maps"]}
    assert names["B_desc"]["swizzle"] == "CU_TENSOR_MAP_SWIZZLE_128B"
    assert names["A_desc"]["data_type"] == "CU_TENSOR_MAP_DATA_TYPE_FLOAT16"
    assert set(launch["files"].values()) | {"README.md", "launch.json"} == set(made.files)
    assert launch["case"]["args"]["block_M"] == 128
    assert launch["versions"]["nvcc"] == result.versions["nvcc"]
    assert only["shared_opt_in"] is True  # 48 KiB and the barriers


def test_a_target_without_an_assembler_says_so() -> None:
    _, made = export(item_of(SHIPPED / "gemm_cpu.py", "cpu"))
    launch = launch_of(made)
    assert "no compiler here makes machine code for cpu" in launch["missing"]["cubin"]
    assert {"kernel.c", "test_matmul.py"} <= set(made.files)
    assert "launch_example.py" not in made.files
    assert "no compiler here" in made.files["README.md"].decode()


def test_files_that_the_document_imports_come_along(tmp_path: Path) -> None:
    path = tmp_path / "dynamic.py"
    path.write_text(
        f"from helpers.sizes import BLOCK\n{DYNAMIC}".replace("block=128", "block=BLOCK")
    )
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "sizes.py").write_text("BLOCK = 64\n")
    _, made = export(item_of(path, "sm_80"))
    assert made.files["helpers/sizes.py"] == b"BLOCK = 64\n"
    assert launch_of(made)["launches"][0]["grid"] == [8, "(m + 63) // 64", 1]


def test_a_kernel_at_fault_gives_no_files() -> None:
    item = item_of(DYNAMIC.replace("T.clear(c)", "T.copy(A, B[0, 0, 0])"), "sm_80")
    result, blobs = exported(item)
    assert result.failure is not None
    assert result.failure.kind == "kernel"
    assert not put_together(item, result, blobs).files


def test_the_pytest_file_is_collected_and_skips_without_a_gpu(
    gemm_h200: tuple[ExportResult, Export], tmp_path: Path
) -> None:
    for name, content in gemm_h200[1].files.items():
        (tmp_path / name).write_bytes(content)
    words = ["-m", "pytest", "-p", "no:cacheprovider", "-rs", "-q", "test_matmul.py"]
    environment_ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env=environment_,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 skipped" in done.stdout
    assert "torch sees no GPU in this machine" in done.stdout


def test_the_pytest_file_fails_for_a_wrong_kernel(tmp_path: Path) -> None:
    """That it passes for a right one is tested with the command."""
    _, made = export(item_of(SHIPPED / "gemm_cpu.py", "cpu"))
    for name, content in made.files.items():
        (tmp_path / name).write_bytes(content)
    document = tmp_path / json.loads(made.files["launch.json"])["files"]["document"]
    words = ["-m", "pytest", "-p", "no:cacheprovider", "-q", "test_matmul.py", "-k", "flat"]
    environment_ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    document.write_text(document.read_text().replace("+= A_local", "-= A_local"))
    wrong = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env=environment_,
        capture_output=True,
        text=True,
        check=False,
    )
    assert wrong.returncode == 1
    assert "C: Tensor-likes are not close" in wrong.stdout
