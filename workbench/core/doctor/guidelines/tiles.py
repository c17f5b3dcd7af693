"""Whether a product's tile suits the target: small ones load each operand more often."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.doctor.checks.products import Product, products_of
from workbench.core.doctor.facts import KernelFacts, LoopKind
from workbench.core.doctor.findings import Finding, listed, named
from workbench.core.doctor.guidelines.tiles_of import fed_tiles
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Scope, bits_of, buffer_of
from workbench.core.figures import size
from workbench.core.targets.model import Feature, Target

_LARGEST_SMALL = 64 * 64
_BLOCK = 128


@dataclass(frozen=True)
class _Usual:
    """A tile of 128 x 128 with its K for operands of 16 bits, and what more is usual."""

    feature: Feature
    k: int
    more: str


# By the first feature that a target has: TileLang's own examples and benchmarks of T.gemm.
_USUAL = (
    _Usual(Feature.WGMMA, 64, ", up to 256 x 128 with 4 stages"),
    _Usual(Feature.CP_ASYNC, 32, ""),
    _Usual(Feature.MFMA, 64, ", within 64 KiB of LDS"),
)


def tile_size(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Products of a large matrix in tiles of 64 x 64 or less."""
    for product in products_of(facts):
        m, n = product.stored_c
        if not (type(m) is int and type(n) is int and 0 < m * n <= _LARGEST_SMALL):
            continue
        result = _result(facts, product)
        if result is None or not _is_fed(facts, product):
            continue
        blocks = (result[0] // _BLOCK) * (result[1] // _BLOCK)
        targets = tuple(t for t in facts.on_gpu() if _usual(t) and _fills(t, blocks))
        if targets:
            message = (
                f"In a tile of {m} x {n} a value of {product.a.name} is loaded for {n} products "
                f"and one of {product.b.name} for {m}. {result[0]} x {result[1]} has {blocks:,} "
                f"tiles of {_BLOCK} x {_BLOCK}, enough for every multiprocessor: "
                f"{_told(product, targets)}."
            )
            yield Finding(product.operation.node, message, (), named(targets, facts.targets))


def _usual(target: Target) -> _Usual | None:
    return next((usual for usual in _USUAL if target.arch.has(usual.feature)), None)


def _fills(target: Target, blocks: int) -> bool:
    count = target.model.sm_count if target.model is not None else None
    return count is not None and blocks >= 2 * count


def _told(product: Product, targets: tuple[Target, ...]) -> str:
    bits = bits_of(product.a.dtype) or 16
    parts = []
    for target in targets:
        usual = _usual(target)
        assert usual is not None
        k = usual.k * 16 // bits
        stage = 2 * _BLOCK * k * bits // 8
        parts.append(
            f"on {target.name} {_BLOCK} x {_BLOCK} x {k} is usual ({size(stage)} a stage)"
            f"{usual.more}"
        )
    return listed(parts)


def _result(facts: KernelFacts, product: Product) -> tuple[int, int] | None:
    """The extents of the matrix that a product's tile is stored to, by way of another or not."""
    tiles = {product.c}
    for operation in facts.named("copy"):
        source, target = (
            buffer_of(operation.operand(0, "src")),
            buffer_of(operation.operand(1, "dst")),
        )
        if source not in tiles or target is None:
            continue
        if target.scope is not Scope.GLOBAL:
            tiles.add(target)
        elif target.sizes is not None and len(target.sizes) >= 2:
            return target.sizes[-2], target.sizes[-1]
    return None


def _is_fed(facts: KernelFacts, product: Product) -> bool:
    """Whether both operands are tiles that the loop around the product loads each turn."""
    loops = [loop for loop in product.operation.loops if loop.kind is not LoopKind.PARALLEL]
    fed = fed_tiles(facts, loops[-1]) if loops else []
    return product.a in fed and product.b in fed and product.a is not product.b
