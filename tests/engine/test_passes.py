from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from workbench.core.jobs import KernelChoice, PassesRequest, PassesResult, PassRecord, Source
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import load_targets
from workbench.engine import compiling, jobs, lowering
from workbench.engine.passes import Recorder, record_passes

KERNEL = """
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(N, block=128):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            s = T.alloc_shared((block,), "float32")
            T.copy(A[bx * block], s)
            for i in T.Parallel(block):
                B[bx * block + i] = s[i] * 2.0

    return main
"""
# A tile operation within a parallel loop, which a check before the lowering refuses.
BROKEN = KERNEL.replace("B[bx * block + i] = s[i] * 2.0", "T.copy(A[bx * block], s)")


def request(text: str = KERNEL, target: str = "a100") -> PassesRequest:
    source = Source("/documents/scale.py", text, "/documents", True)
    plain = load_targets().resolve(target).to_json()
    return PassesRequest(source, KernelChoice("scale", "lazy", {"N": 256}, 1), plain)


def quiet(*_: object) -> None:
    pass


@pytest.fixture(scope="module")
def recorded() -> tuple[PassesResult, list[bytes]]:
    return record_passes(request(), quiet)


def named(result: PassesResult, name: str) -> PassRecord:
    return next(record for record in result.passes if record.name == name)


def test_the_passes_of_both_sides_are_recorded(recorded: Any) -> None:
    result, _ = recorded
    assert result.failure is None
    assert {record.side for record in result.passes} == {"module", "host", "device"}
    assert [record.index for record in result.passes] == list(range(len(result.passes)))


def test_a_pass_has_changed_where_its_text_has(recorded: Any) -> None:
    result, blobs = recorded
    for record in result.passes:
        assert record.changed == (blobs[record.before_blob] != blobs[record.text_blob])
    assert named(result, "tl.LowerTileOp").changed
    assert not named(result, "tl.VerifyBufferInit").changed


def test_a_text_is_kept_once(recorded: Any) -> None:
    result, blobs = recorded
    assert len(set(blobs)) == len(blobs) < len(result.passes)


def test_a_pass_that_writes_into_its_own_module_has_changed_it(recorded: Any) -> None:
    result, blobs = recorded
    record = named(result, "tirx.AnnotateEntryFunc")
    assert record.changed
    assert b"is_entry_func" in blobs[record.text_blob]


def test_the_last_device_text_is_that_of_the_lowering(recorded: Any) -> None:
    result, blobs = recorded
    target = load_targets().resolve("a100")
    built = compiling.build(request(), target)
    lowered = lowering.lower(built, lowering.tvm_target(target))
    split = [r for r in result.passes if r.name == "tirx.Filter"]
    assert [record.side for record in split] == ["host", "device"]
    assert blobs[split[1].text_blob].decode() == lowered.device_ir


def test_passes_that_share_a_name_in_tilelang_have_their_own(recorded: Any) -> None:
    result, _ = recorded
    names = [record.name for record in result.passes]
    assert names[0] == "tl.NestedLoopChecker"
    assert "pass_fn" not in names


def test_a_pass_within_a_pass_is_deeper_and_ends_first(recorded: Any) -> None:
    result, _ = recorded
    inner = named(result, "tirx.ConvertSSA")
    outer = named(result, "tl.SplitHostDevice")
    assert (inner.depth, outer.depth) == (1, 0)
    assert inner.index < outer.index
    assert inner.seconds < outer.seconds


def test_the_cost_of_recording_is_in_no_pass(recorded: Any) -> None:
    result, _ = recorded
    passes = sum(record.seconds for record in result.passes if record.depth == 0)
    assert passes + result.seconds["record"] <= result.seconds["lower"]
    assert result.seconds["record"] > 0


def test_a_failing_pass_is_the_last_and_has_no_text() -> None:
    result, blobs = record_passes(request(BROKEN), quiet)
    assert result.failure is not None
    assert result.failure.kind == "kernel"
    last = result.passes[-1]
    assert (last.name, last.text_blob, last.changed) == ("tl.NestedLoopChecker", None, False)
    assert blobs[last.before_blob]
    assert all(record.text_blob is not None for record in result.passes[:-1])


def test_a_document_that_does_not_load_has_no_passes() -> None:
    result, blobs = record_passes(request("raise ValueError('x')\n"), quiet)
    assert result.failure is not None
    assert (result.passes, blobs) == ((), [])


def test_the_job_table_knows_passes_and_its_result_travels() -> None:
    plain = to_plain(request(target="cpu"))
    result, blobs = jobs.run("passes", plain, quiet)
    assert from_plain(PassesResult, to_plain(result)) == result
    assert blobs


def test_a_module_that_nobody_touched_is_printed_once() -> None:
    module = CountingModule("text")
    recorder = Recorder()
    event = SimpleNamespace(name="tl.Nothing", depth=0)
    for _ in range(3):
        recorder.pass_finished(module, event, recorder.pass_started(module, event))
    assert module.printed == 4  # before the first pass and after each


class CountingModule:
    """A module that counts how often it is printed."""

    def __init__(self, text: str) -> None:
        self.text, self.printed, self.functions = text, 0, {}

    def script(self) -> str:
        self.printed += 1
        return self.text

    def same_as(self, other: object) -> bool:
        return self is other
