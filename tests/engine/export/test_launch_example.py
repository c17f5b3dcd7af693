"""The script launches as launch.json says; a driver that only takes notes, of cuda.h, shows it."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import shutil
import subprocess
import types
from pathlib import Path
from typing import Any

import pytest
import torch
from exported_kernels import (
    CLUSTERS,
    CONVOLUTION,
    DYNAMIC,
    TWICE,
    exported,
    item_of,
    launch_of,
    put_together,
)

STREAM = 0x1234
# Notes every call as a line of words. A tensor map is marked with the address of its tensor.
DRIVER = r"""
#include <cuda.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
static FILE* notes(void) { return fopen(getenv("STUB_NOTES"), "a"); }
#define NOTE(...) do { FILE* to = notes(); fprintf(to, __VA_ARGS__); fclose(to); } while (0)
#undef cuModuleLoadData
#undef cuModuleGetFunction
CUresult cuGetErrorString(CUresult e, const char** s) { *s = "stub"; return CUDA_SUCCESS; }
CUresult cuModuleLoadData(CUmodule* m, const void* image) {
  *m = (CUmodule)7;
  return memcmp(image, "\x7f" "ELF", 4) ? CUDA_ERROR_INVALID_IMAGE : CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* f, CUmodule m, const char* name) {
  *f = (CUfunction)strdup(name);
  return m == (CUmodule)7 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int value) {
  NOTE("attribute %s %d %d\n", (char*)f, a, value);
  return CUDA_SUCCESS;
}
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
    void* address, const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
    const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
  if ((unsigned long long)map % 64) return CUDA_ERROR_INVALID_VALUE;
  NOTE("map %p %d %u", address, type, rank);
  for (unsigned i = 0; i < rank; i++) NOTE(" %llu", (unsigned long long)dims[i]);
  for (unsigned i = 0; i + 1 < rank; i++) NOTE(" %llu", (unsigned long long)strides[i]);
  for (unsigned i = 0; i < rank; i++) NOTE(" %u", box[i]);
  for (unsigned i = 0; i < rank; i++) NOTE(" %u", steps[i]);
  NOTE(" %d %d %d %d\n", interleave, swizzle, l2, fill);
  memset(map, 0, sizeof *map);
  memcpy(map, &address, sizeof address);
  return CUDA_SUCCESS;
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
    void* address, const cuuint64_t* dims, const cuuint64_t* strides, const int* lower,
    const int* upper, cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2,
    CUtensorMapFloatOOBfill fill) {
  NOTE("im2col %p %d %u", address, type, rank);
  for (unsigned i = 0; i < rank; i++) NOTE(" %llu", (unsigned long long)dims[i]);
  for (unsigned i = 0; i + 1 < rank; i++) NOTE(" %llu", (unsigned long long)strides[i]);
  for (unsigned i = 0; i + 2 < rank; i++) NOTE(" %d %d", lower[i], upper[i]);
  NOTE(" %u %u", channels, pixels);
  for (unsigned i = 0; i < rank; i++) NOTE(" %u", steps[i]);
  NOTE(" %d %d %d %d\n", interleave, swizzle, l2, fill);
  memcpy(map, &address, sizeof address);
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* c, CUfunction f, void** params, void** extra) {
  NOTE("launch %s %u %u %u %u %u %u %u %p", (char*)f, c->gridDimX, c->gridDimY, c->gridDimZ,
       c->blockDimX, c->blockDimY, c->blockDimZ, c->sharedMemBytes, (void*)c->hStream);
  for (unsigned i = 0; i < c->numAttrs; i++)
    NOTE(" %d=%u,%u,%u", c->attrs[i].id, c->attrs[i].value.clusterDim.x,
         c->attrs[i].value.clusterDim.y, c->attrs[i].value.clusterDim.z);
  NOTE("\n");
  int count = atoi(getenv("STUB_PARAMETERS"));
  for (int i = 0; i < count; i++) NOTE("parameter %llu\n", *(unsigned long long*)params[i]);
  return extra == NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    from workbench.engine import environment

    toolkit = environment.cuda_toolkit()
    include = toolkit.home / "include" if toolkit is not None else Path("/nowhere")
    if not (include / "cuda.h").is_file() or shutil.which("gcc") is None:
        pytest.skip("no cuda.h or no compiler of C here")
    folder = tmp_path_factory.mktemp("driver")
    (folder / "driver.c").write_text(DRIVER)
    words = ["gcc", "-shared", "-fPIC", f"-I{include}", "driver.c", "-o", "libcuda.so.1"]
    subprocess.run(words, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "libcuda.so.1"))


class Example:
    """An exported script, loaded beside a stand-in for the driver."""

    def __init__(self, text: str, target: str, folder: Path) -> None:
        item = item_of(text, target)
        result, blobs = exported(item)
        assert result.failure is None, result.failure
        made = put_together(item, result, blobs)
        for name, content in made.files.items():
            (folder / name).write_bytes(content)
        self.launch = launch_of(made)
        self.cubin = made.files["kernel.cubin"]
        self.folder = folder
        spec = importlib.util.spec_from_file_location("example", folder / "launch_example.py")
        assert spec is not None
        assert spec.loader is not None
        self.module: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)

    def values(self, dims: dict[str, int] | None = None) -> list[Any]:
        launch, case = self.launch, self.launch["case"]
        drawn = self.module.draw(
            launch["parameters"], launch["outputs"], None, case["args"], dims or case["dims"], 0
        )
        values: list[Any] = drawn[0]
        return values

    def run(self, values: list[Any]) -> list[list[str]]:
        """What the driver was asked for, in words."""
        self.module.Kernel(self.launch, self.cubin).run(values)
        return [line.split() for line in (self.folder / "notes").read_text().splitlines()]


@pytest.fixture
def example(driver: ctypes.CDLL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    stream = types.SimpleNamespace(cuda_stream=STREAM)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: stream)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: driver)
    monkeypatch.setenv("STUB_NOTES", str(tmp_path / "notes"))

    def make(text: str, target: str, parameters: int) -> Example:
        monkeypatch.setenv("STUB_PARAMETERS", str(parameters))
        return Example(text, target, tmp_path)

    return make


def test_tensor_maps_and_sizes_reach_the_driver(example: Any) -> None:
    found = example(DYNAMIC, "h200", 4)
    a, b, c = values = found.values({"m": 300})
    notes = found.run(values)
    maps = [line for line in notes if line[0] == "map"]
    assert maps[0][1:] == f"{a.data_ptr():#x} 6 2 256 300 512 32 128 1 1 0 2 2 0".split()
    assert maps[1][1:] == f"{b.data_ptr():#x} 6 2 512 256 1024 64 32 1 1 0 3 2 0".split()
    (launch,) = [line for line in notes if line[0] == "launch"]
    assert launch[1:] == f"main_kernel 4 3 1 256 1 1 49152 {STREAM:#x}".split()
    parameters = [int(line[1]) for line in notes if line[0] == "parameter"]
    assert parameters[:3] == [a.data_ptr(), b.data_ptr(), c.data_ptr()]
    assert parameters[3] & 0xFFFFFFFF == 300
    assert ["attribute", "main_kernel", "8", "49152"] in notes


def test_an_im2col_map_reaches_the_driver(example: Any) -> None:
    found = example(CONVOLUTION, "h200", 3)
    values = found.values()
    (image,) = [line for line in found.run(values) if line[0] == "im2col"]
    sizes = "64 32 32 4 128 4096 131072 -1 -1 -1 -1 32 64 1 1 1 1"
    record = found.launch["tensor_maps"][0]
    ends = [str(record[name]) for name in ("interleave", "swizzle", "l2_promotion", "oob_fill")]
    assert image[1:] == [f"{values[0].data_ptr():#x}", "6", "4", *sizes.split(), *ends]


def test_a_cluster_is_asked_for(example: Any) -> None:
    found = example(CLUSTERS, "h200", 2)
    notes = found.run(found.values())
    (launch,) = [line for line in notes if line[0] == "launch"]
    assert launch[-1] == "4=2,1,1"
    assert ["attribute", "main_kernel", "14", "1"] in notes


def test_several_launches_follow_each_other(example: Any) -> None:
    found = example(TWICE, "sm_80", 2)
    notes = found.run(found.values())
    assert [line[1:8] for line in notes if line[0] == "launch"] == [
        ["main_kernel", "8", "2", "1", "128", "1", "1"],
        ["main_kernel_1", "4", "1", "1", "256", "1", "1"],
    ]


def test_the_reference_stands_without_tilelang(example: Any) -> None:
    found = example(DYNAMIC, "h200", 4)
    source = (found.folder / "kernel_reference.py").read_text()
    assert "tilelang" not in source
    functions = found.module.reference_functions(found.launch)
    assert functions["ref_program"](torch.ones(2, 2), torch.ones(2, 2)).tolist() == [[2, 2], [2, 2]]
    assert json.loads((found.folder / "launch.json").read_text())["reference"] == {
        "function": "ref_program",
        "make_inputs": None,
    }
