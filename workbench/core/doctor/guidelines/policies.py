"""How warps share the products of attention: whole rows, or columns where the rows are few."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Fix
from workbench.core.doctor.checks.products import ROWS_PER_WARP, Product, by_one_role, products_of
from workbench.core.doctor.edits import set_keyword
from workbench.core.doctor.facts import REDUCTIONS, KernelFacts
from workbench.core.doctor.findings import Finding, fix, named
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, Scope, buffer_of
from workbench.core.targets.model import Feature, Target

_POLICY = 5  # its place among T.gemm's arguments
_WARPGROUP = 4
_WIDE = 256
_ON_CHIP = frozenset({Scope.FRAGMENT, Scope.SHARED})


def warp_policy(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Two products with a softmax between them, and no word of how warps share their rows."""
    launch = facts.launches[0] if len(facts.launches) == 1 else None
    if launch is None or type(launch.threads) is not int:
        return
    for scores, output in _attention(facts):
        pair = (scores, output)
        if any(_policy(product) is not None or by_one_role(facts, product) for product in pair):
            continue  # chosen by hand
        rows, width = scores.stored_c[0], output.stored_c[1]
        if type(rows) is not int or type(width) is not int:
            continue
        for name, check in (("FullRow", _whole_rows), ("FullCol", _few_rows)):
            targets = tuple(t for t in facts.on_gpu() if check(t, launch.threads, rows, width))
            if targets:
                message = _MESSAGES[name].format(c=scores.c.name, rows=rows, width=width)
                fixes = _chosen(module, pair, name)
                concerned = named(targets, facts.targets)
                yield Finding(scores.operation.node, message, fixes, concerned)


_MESSAGES = {
    "FullRow": "The rows of {c} are reduced between two products. With "
    "policy=T.GemmWarpPolicy.FullRow each warp has whole rows, and maxima and sums of a row stay "
    "within it; else warps that share a row exchange them through shared memory.",
    "FullCol": "{rows} rows are too few to give every warp {step} of them. With "
    "policy=T.GemmWarpPolicy.FullCol the warps divide the {width} columns of the output instead, "
    "as decoding with one latent head (MLA) wants.".replace("{step}", str(ROWS_PER_WARP)),
}


def _policy(product: Product) -> object:
    return product.operation.operand(_POLICY, "policy")


def _attention(facts: KernelFacts) -> Iterator[tuple[Product, Product]]:
    """Pairs of products: rows of the first's tile are reduced, and the second multiplies it."""
    products = list(products_of(facts))
    for scores in products:
        tiles = _followed(facts, scores.c)
        reduced = any(
            buffer_of(operation.operand(0, "src")) is scores.c
            for operation in facts.named(*REDUCTIONS)
        )
        for output in products:
            later = output.operation.order > scores.operation.order
            if reduced and later and output.a in tiles and not output.transposed[0]:
                yield scores, output


def _followed(facts: KernelFacts, buffer: Buffer) -> set[Buffer]:
    """A tile and those that it is copied to on the chip."""
    tiles = {buffer}
    for operation in facts.named("copy"):
        target = buffer_of(operation.operand(1, "dst"))
        onwards = buffer_of(operation.operand(0, "src")) in tiles
        if onwards and target is not None and target.scope in _ON_CHIP:
            tiles.add(target)
    return tiles


def _warps(target: Target, threads: int) -> int:
    return threads // (target.arch.limits.warp_size or 32)


def _whole_rows(target: Target, threads: int, rows: int, _width: int) -> bool:
    """Whether all warps can have whole rows, and would not have them anyway."""
    warps = _warps(target, threads)
    # The four warps of a warp group divide the rows of wgmma among them in any case.
    anyway = target.arch.has(Feature.WGMMA) and warps <= _WARPGROUP
    return warps > 1 and not anyway and rows % (ROWS_PER_WARP * warps) == 0


def _few_rows(target: Target, threads: int, rows: int, width: int) -> bool:
    """Whether the rows do not go round while the output is wide."""
    warps = _warps(target, threads)
    return warps > 1 and rows < ROWS_PER_WARP * warps and width >= max(_WIDE, 4 * rows)


def _chosen(module: Module, pair: tuple[Product, Product], name: str) -> tuple[Fix, ...]:
    edits = []
    for product in pair:
        function = product.operation.node.func
        prefix = ast.unparse(function.value) if isinstance(function, ast.Attribute) else "T"
        text = f"{prefix}.GemmWarpPolicy.{name}"
        edits.append(set_keyword(module, product.operation.node, "policy", _POLICY, text))
    return fix(f"Use {name} for both products", *edits)
