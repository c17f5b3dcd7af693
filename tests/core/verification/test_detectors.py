"""Each detector against results with one constructed error, and all against right ones."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from workbench.core.jobs import Signature
from workbench.core.verification import DETECTORS, Observation, Operand, signatures_of

Array = np.ndarray[Any, Any]
TILE = (32, 16)
STEP = 16


def gemm(m: int = 128, n: int = 96, k: int = 112) -> tuple[Array, Array, Array]:
    random = np.random.default_rng(7)
    left, right = random.standard_normal((m, k)), random.standard_normal((k, n))
    return left, right, left @ right


def observed(got: Array, expected: Array, atol: float = 0.05, **more: Any) -> Observation:
    """As verification sees a float16 output: rounded, and wrong where out of tolerance."""
    dtype = more.pop("dtype", "float16")
    got = got.astype(np.float16).astype(np.float64) if dtype == "float16" else got
    rtol = 2.0**-10 if dtype == "float16" else 0.0
    wrong = ~(np.abs(got - expected) <= atol + rtol * np.abs(expected))
    return Observation(got, expected, wrong, dtype, rtol, atol, **more)


def told(seen: Observation) -> Signature:
    found = signatures_of(seen)
    assert found, f"no signature, {seen.wrong_count} of {seen.got.size} wrong"
    return found[0]


def operands(left: Array, right: Array) -> dict[str, Any]:
    return {
        "operands": (Operand("A", left), Operand("B", right)),
        "lengths": (STEP, 128, 96, 112, 32),
        "tile": TILE,
    }


def test_the_table_has_a_code_once() -> None:
    codes = [detector.code for detector in DETECTORS]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("factor", [8.0, 1 / 8, 1.4427, 0.5, 3.0])
def test_scaled(factor: float) -> None:
    _, _, c = gemm()
    found = told(observed(factor * c, c))
    assert (found.code, found.confidence) == ("scaled", "strong")
    assert found.evidence["factor"] == pytest.approx(factor, rel=1e-3)


def test_a_missing_softmax_scale_is_named() -> None:
    _, _, c = gemm()
    query = Operand("Q", np.zeros((4, 80)))
    found = told(observed(c * np.sqrt(80), c, operands=(query,)))
    assert "which is √80" in found.sentence


def test_a_wrong_sign() -> None:
    _, _, c = gemm()
    assert told(observed(-c, c)).code == "sign"


def test_transposed_outputs() -> None:
    _, _, c = gemm(96, 96)
    found = told(observed(c.T.copy(), c, tile=(32, 32)))
    assert (found.code, found.confidence) == ("transposed", "strong")
    _, _, c = gemm()
    assert told(observed(c.T.reshape(c.shape), c)).code == "transposed"


def test_a_transposed_operand() -> None:
    left, right, c = gemm(96, 64, 64)
    found = told(observed(left @ right.T, c, **operands(left, right)))
    assert found.code == "operand-transposed"
    assert "got equals A @ Bᵀ in all the elements looked at, expected A @ B" in found.sentence


@pytest.mark.parametrize(
    ("way", "text"),
    [
        ("missing", "K step 7 of 7 is missing"),
        ("doubled", "K step 3 of 7 is added twice"),
        ("alone", "got is K step 7 of 7 alone"),
        ("repeated", "each of 7 K steps adds step 1"),
        ("ends-early", "the sum ends after K step 4 of 7"),
        ("begins-late", "the sum begins after K step 2 of 7"),
    ],
)
def test_k_steps(way: str, text: str) -> None:
    left, right, c = gemm()
    sums = np.stack([left[:, k : k + STEP] @ right[k : k + STEP] for k in range(0, 112, STEP)])
    got = {
        "missing": c - sums[6],
        "doubled": c + sums[2],
        "alone": sums[6],
        "repeated": 7 * sums[0],
        "ends-early": sums[:4].sum(0),
        "begins-late": sums[2:].sum(0),
    }[way]
    found = told(observed(got, c, **operands(left, right)))
    assert (found.code, found.evidence["way"]) == ("k-step", way)
    assert text in found.sentence


@pytest.mark.parametrize("name", ["A", "B"])
def test_an_operand_that_does_not_move_along_k(name: str) -> None:
    left, right, c = gemm()
    sums = [left[:, k : k + STEP] @ right[:STEP] for k in range(0, 112, STEP)]
    if name == "A":
        sums = [left[:, :STEP] @ right[k : k + STEP] for k in range(0, 112, STEP)]
    found = told(observed(np.sum(sums, 0), c, **operands(left, right)))
    assert found.code == "operand-stays"
    assert f"every K step takes tile 1 of 7 of {name}, 16 along K a tile" in found.sentence


def test_a_k_step_missing_in_the_lower_rows_of_the_last_block_column() -> None:
    left, right, c = gemm()
    got = c - left[:, 96:] @ right[96:]
    got[:, :80] = c[:, :80]
    rows = np.arange(128) % 32
    got[rows < 24] = c[rows < 24]
    codes = [s.code for s in signatures_of(observed(got, c, **operands(left, right)))]
    assert codes == ["k-step", "bands"]


def test_zero_never_written_and_nan() -> None:
    _, _, c = gemm()
    got = c.copy()
    got[:, 48:64] = 0
    assert told(observed(got, c, tile=TILE)).code == "zero"
    untouched = np.zeros(c.shape, bool)
    untouched[:, 48:64] = True
    found = told(observed(got, c, untouched=untouched))
    assert (found.code, found.confidence) == ("never-written", "strong")
    got[5] = np.nan
    got[:, 48:64] = c[:, 48:64]
    assert told(observed(got, c)).code == "not-a-number"


def test_swapped_blocks() -> None:
    _, _, c = gemm(128, 64)
    tiles = c.reshape(4, 32, 4, 16).transpose(0, 2, 1, 3)
    swapped = tiles.transpose(1, 0, 2, 3).transpose(0, 2, 1, 3).reshape(c.shape)
    found = told(observed(swapped, c, tile=TILE))
    assert found.code == "other-tile"
    assert "the one with row and column swapped" in found.sentence
    shifted = np.roll(c, -32, axis=0)
    shifted[-32:] = c[-32:]
    assert "(1, 0) further" in told(observed(shifted, c, tile=TILE)).sentence
    same = np.tile(c[:32, :16], (4, 4))
    assert "always the same" in told(observed(same, c, tile=TILE)).sentence


@pytest.mark.parametrize(
    ("axis", "step", "text"),
    [(0, 1, "one row further"), (1, -1, "one column before"), (1, 2, "2 columns further")],
)
def test_off_by_one(axis: int, step: int, text: str) -> None:
    _, _, c = gemm()
    found = told(observed(np.roll(c, -step, axis=axis), c, tile=TILE))
    assert found.code == "shifted"
    assert text in found.sentence


def test_an_accumulator_carried_over() -> None:
    _, _, c = gemm()
    tiles = c.reshape(128, 6, 16)
    got = np.cumsum(tiles, axis=1).reshape(c.shape)
    assert told(observed(got, c, tile=(32, 96), lengths=(16,))).code == "carried-over"


def test_terms_and_factors_of_rows_and_columns() -> None:
    _, _, c = gemm()
    random = np.random.default_rng(3)
    by_row, by_column = random.uniform(2, 9, (128, 1)), random.uniform(2, 9, (1, 96))
    assert told(observed(c * by_row, c)).code == "scaled-by-row"
    assert told(observed(c * by_column, c)).code == "scaled-by-column"
    assert told(observed(c + by_row, c)).code == "offset-by-row"
    assert told(observed(c + by_column, c)).code == "offset-by-column"
    found = told(observed(c + 1.5, c))
    assert (found.code, found.evidence["offset"]) == ("offset", pytest.approx(1.5, abs=0.01))


def test_only_tails() -> None:
    _, _, c = gemm(120, 90)
    random = np.random.default_rng(1)
    got = c.copy()
    got[96:] += random.standard_normal((24, 90)) * 9
    got[:, 80:] += random.standard_normal((120, 10)) * 9
    (found,) = signatures_of(observed(got, c, tile=TILE))
    assert (found.code, found.evidence["axes"]) == ("only-tails", [0, 1])
    assert "the last 24 rows, which do not fill a tile of 32" in found.sentence
    got[0, 0] += 5
    assert signatures_of(observed(got, c, tile=TILE)) == ()
    got[:96] = c[:96]
    (found,) = signatures_of(observed(got, c, tile=TILE))
    assert found.evidence["axes"] == [0]


@pytest.mark.parametrize(
    ("rows", "text"), [(range(24, 32), "rows 24–31"), (range(16), "rows 0–15")]
)
def test_bands_of_rows(rows: range, text: str) -> None:
    _, _, c = gemm()
    got = c + 9 * np.random.default_rng(1).standard_normal(c.shape)
    keep = ~np.isin(np.arange(128) % 32, list(rows))
    got[keep] = c[keep]
    (found,) = signatures_of(observed(got, c, tile=TILE))
    assert (found.code, found.confidence) == ("bands", "possible")
    assert text in found.sentence


def test_every_other_column() -> None:
    _, _, c = gemm()
    got = c.copy()
    got[:, 1::2] += 9 * np.random.default_rng(1).standard_normal((128, 48))
    (found,) = signatures_of(observed(got, c))
    assert "columns 1 of every 2" in found.sentence


def test_a_mask_that_is_wrong_on_the_diagonal() -> None:
    _, _, c = gemm(96, 96)
    masked = np.tril(c)
    seen = observed(np.tril(c, -1), masked, tile=(32, 32))
    codes = {s.code for s in signatures_of(seen)}
    assert codes == {"zero", "diagonal"}
    above = observed(c, masked, tile=(32, 32))
    (found,) = signatures_of(above)
    assert "above the diagonal" in found.sentence


@pytest.mark.parametrize("bits", [10, 7])
def test_values_of_a_narrower_type(bits: int) -> None:
    _, _, c = gemm()
    fraction, exponent = np.frexp(c)
    got = np.ldexp(np.round(fraction * 2.0 ** (bits + 1)), exponent - bits - 1)
    found = told(observed(got, c, atol=1e-5, dtype="float32"))
    assert found.code == "rounded-through"
    assert found.evidence["type"] == {10: "float16 (or TF32)", 7: "bfloat16"}[bits]


def test_errors_of_rounding_are_called_that_and_nothing_else() -> None:
    _, _, c = gemm()
    noise = np.random.default_rng(5).standard_normal(c.shape)
    (found,) = signatures_of(observed(c * (1 + 0.004 * noise), c, atol=0.01, dtype="float32"))
    assert found.code == "rounding"


@pytest.mark.parametrize("seed", range(6))
def test_right_but_noisy_results_have_no_signature(seed: int) -> None:
    left, right, c = gemm()
    noise = np.random.default_rng(seed).standard_normal(c.shape)
    seen = observed(c + 0.005 * noise, c, **operands(left, right))
    assert seen.wrong_count == 0
    assert signatures_of(seen) == ()


@pytest.mark.parametrize("seed", range(6))
def test_what_is_just_wrong_has_no_signature(seed: int) -> None:
    """Random values, and a few large errors in random places, look like nothing."""
    left, right, c = gemm()
    random = np.random.default_rng(seed)
    assert signatures_of(observed(c.std() * random.standard_normal(c.shape), c)) == ()
    got = c.copy()
    got.flat[random.choice(c.size, 400, replace=False)] += 20 * random.standard_normal(400)
    assert signatures_of(observed(got, c, **operands(left, right))) == ()


def test_a_loose_tolerance_bears_nothing_out() -> None:
    """Where any value is within tolerance of any other, agreement says nothing."""
    random = np.random.default_rng(0)
    expected = 1e-3 * random.standard_normal((64, 64))
    got = expected.copy()
    got[3] += 1.0
    codes = [s.code for s in signatures_of(observed(got, expected, atol=0.1, tile=(16, 16)))]
    assert not {"transposed", "shifted", "other-tile"} & set(codes)


def test_only_compared_elements_count() -> None:
    _, _, c = gemm()
    compared = np.zeros(c.shape, bool)
    compared[:32, :16] = compared[-32:, -16:] = True
    got = np.where(compared, 2 * c, np.nan)
    wrong = compared & (np.abs(got - c) > 0.05)
    seen = Observation(got, c, wrong, "float16", 2.0**-10, 0.05, compared, tile=TILE)
    assert told(seen).code == "scaled"


def test_integers() -> None:
    random = np.random.default_rng(0)
    expected = random.integers(-100, 100, (64, 64))
    assert told(observed(expected.T.copy(), expected, 0, dtype="int32")).code == "transposed"
    assert told(observed(-expected, expected, 0, dtype="int32")).code == "sign"
    assert told(observed(np.roll(expected, 1, 1), expected, 0, dtype="int32")).code == "shifted"


@pytest.mark.parametrize("rank", [0, 1, 3, 4])
def test_any_rank(rank: int) -> None:
    shape = {0: (), 1: (4096,), 3: (4, 32, 32), 4: (2, 2, 32, 32)}[rank]
    expected = np.random.default_rng(0).standard_normal(shape)
    found = signatures_of(observed(np.asarray(3 * expected), np.asarray(expected)))
    assert [s.code for s in found] == ([] if rank == 0 else ["scaled"])


def test_batched_products() -> None:
    random = np.random.default_rng(0)
    left, right = random.standard_normal((3, 32, 48)), random.standard_normal((3, 48, 32))
    c = left @ right
    got = c - left[..., 32:] @ right[:, 32:]
    seen = observed(got, c, operands=(Operand("A", left), Operand("B", right)), lengths=(16,))
    assert "K step 3 of 3 is missing" in told(seen).sentence


def test_four_million_elements_take_a_tenth_of_a_second() -> None:
    random = np.random.default_rng(0)
    left, right = (
        random.standard_normal((2048, 512), np.float32),
        random.standard_normal((512, 2048), np.float32),
    )
    c = left @ right
    got = c.copy()
    got[1024:] = c[1024:, ::-1]
    wrong = np.abs(got - c) > 0.05
    seen = Observation(
        got,
        c,
        wrong,
        "float16",
        2.0**-10,
        0.05,
        None,
        np.zeros(c.shape, bool),
        (128, 128),
        (Operand("A", left), Operand("B", right)),
        (2048, 512, 128, 32),
    )
    begun = time.perf_counter()
    signatures_of(seen)
    assert time.perf_counter() - begun < 1.0  # 0.1 s on an idle core; others may be busy here
