"""Configurations of `@autotune` decorators in the forms that documents write them in."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.documents.model import Kernel
from workbench.core.documents.reading import parse_document
from workbench.core.sweeps.decorated.bounds import UnreadError
from workbench.core.sweeps.decorated.checking import Configurations, ConfigurationsError
from workbench.core.sweeps.decorated.reading import read_configurations

IMPORTS = "import itertools\nimport tilelang\nimport tilelang.language as T\n"
KERNEL = """
@tilelang.autotune(configs={configs}, warmup=3, rep=5)
@tilelang.jit(out_idx=[-1])
def kernel(M, a=None, b=None, dtype="float16", policy=0):
    @T.prim_func
    def main(A: T.Tensor((M,), "float16")):
        with T.Kernel(1) as bx:
            pass

    return main
"""
FOUR = [{"a": 1, "b": 3}, {"a": 1, "b": 4}, {"a": 2, "b": 3}, {"a": 2, "b": 4}]
ZIPPED = "[dict(zip(space, v)) for v in itertools.product(*space.values())]"


def read(before: str, configs: str, args: dict[str, Any] | None = None) -> Configurations:
    text = IMPORTS + before + KERNEL.format(configs=configs)
    return read_configurations(text, kernel_of(text), args or {"M": 64})


def kernel_of(text: str) -> Kernel:
    (kernel,) = parse_document(text).kernels
    return kernel


@pytest.mark.parametrize(
    ("before", "configs"),
    [
        ("", str(FOUR)),
        ("", "[dict(a=x, b=y) for x in (1, 2) for y in range(3, 5)]"),
        ("CONFIGS = []\nfor x in [1, 2]:\n    CONFIGS += [{'a': x, 'b': 3}, {'a': x, 'b': 4}]\n",
         "CONFIGS"),
        ("def get_configs():\n    space = dict(a=[1, 2], b=[3, 4])\n    return " + ZIPPED,
         "get_configs()"),
        ("def get_configs():\n    from itertools import product\n"
         "    found = list(product([1, 2], [3, 4]))\n"
         "    return [{'a': c[0], 'b': c[1]} for c in found]",
         "get_configs()"),
        ("def get_configs():\n    found = []\n"
         "    for x, y in itertools.product([1, 2, 3], (3, 4)):\n"
         "        if x > 2:\n            continue\n        found.append({'a': x, 'b': y})\n"
         "    return found",
         "get_configs()"),
        ("class Space:\n    def __init__(self, first=(1, 2)):\n        self.first = first\n"
         "    @property\n    def second(self):\n        return [3, 4]\n"
         "def get_configs(space=None):\n    space = space or Space()\n"
         "    return [{'a': x, 'b': y} for x in space.first for y in space.second]",
         "get_configs()"),
        ("from dataclasses import dataclass\n@dataclass\nclass Space:\n    first: tuple = (1,)\n"
         "    second: tuple = (3, 4)\n"
         "space = Space(first=(1, 2))\n",
         "[{'a': x, 'b': y} for x in space.first for y in space.second]"),
        ("import functools\n@functools.lru_cache\ndef get_configs(many):\n"
         "    return [{'a': i // 2 + 1, 'b': i % 2 + 3} for i in range(many)]",
         "get_configs(many=4)"),
        ("def get_configs(*args, **kwargs):\n    assert args[0] == 64, args\n"
         f"    return {FOUR}",
         "get_configs"),
        ("def get_configs(M, with_roller=False):\n    if with_roller:\n        import carver\n"
         f"        return carver.recommend(M)\n    return {FOUR}",
         "get_configs"),
        ("", f"lambda M: {FOUR} if M == 64 else []"),
    ],
)  # fmt: skip
def test_forms_that_the_source_tells(before: str, configs: str) -> None:
    assert list(read(before, configs)) == FOUR


def test_a_function_gets_the_arguments_of_the_case() -> None:
    maker = "def get(M):\n    return [{'a': x} for x in (16, 32, 64) if M % x == 0]\n"
    assert read(maker, "get", {"M": 32}) == ({"a": 16}, {"a": 32})


def test_words_of_tilelang_are_what_json_can_hold() -> None:
    found = read("", "[dict(dtype=T.bfloat16, policy=T.GemmWarpPolicy.FullRow)]")
    assert found == ({"dtype": "bfloat16", "policy": 1},)


def test_what_is_tried_twice_is_one_point() -> None:
    assert read("", "[{'a': 1}, {'a': 1}, {'a': 2}]") == ({"a": 1}, {"a": 2})


@pytest.mark.parametrize(
    ("before", "configs", "said", "line"),
    [
        ("import torch\nX = torch.version.hip\n", "[{'a': X}]", "torch", 5),
        ("def get():\n    return [{'a': int(open('x').read())}]\n", "get()", "`open`", 5),
        ("from mine import get\n", "get()", "`get` is not known", 6),
        ("C = [{'a': 1}]\nimport mine\nmine.more(C)\n", "C", "`mine`", 6),
        ("C = [{'a': 1}]\ndef more():\n    C.append({'a': 2})\n    import mine\n    mine.x()\n"
         "more()\n", "C", "`mine`", 8),
        ("def get():\n    while True:\n        pass\n", "get()", "too many steps", 6),
        ("def get():\n    return get()\n", "get()", "calls itself", None),
        ("", "[{'a': x} for x in range(10**9)]", "more than 100,000", 5),
        ("", "[[0] * 90000 for x in range(9)]", "too many steps", 5),
        ("C = list(range(90000))\n", "[{'a': 90001 in C} for x in range(9)]", "too many steps", 6),
        ("C = list(range(900))\n", "[{'a': sorted(C)[0]} for x in range(900)]",
         "too many steps", 6),
        ("", "['x' * 900 + str(x) for x in range(900)]", "too many steps", 5),
        ("", "['x' * 9000]", "text is too long", 5),
        ("", "[{'a': 2 ** (2 ** 62)}]", "exponent", 5),
        ("", "[{'a': 'x' * (1 << 40)}]", "more than 100,000", 5),
        ("", "list(itertools.product(range(1000), repeat=9))", "more than 100,000", 5),
        ("", "[{'a': (1).__class__}]", "__class__", 5),
        ("", "[{'a': '{0.__class__}'.format(1)}]", "format", 5),
        ("def get():\n    assert 1 > 2\n", "get()", "does not hold", 5),
        ("def get():\n    yield {'a': 1}\n", "get()", "yields", 4),
        ("", "get", "`get` is not known", 5),
    ],
)  # fmt: skip
def test_what_running_alone_tells_is_left_to_it(
    before: str, configs: str, said: str, line: int | None
) -> None:
    with pytest.raises(UnreadError) as raised:
        read(before, configs)
    assert said in str(raised.value)
    assert line is None or raised.value.line == line


@pytest.mark.parametrize(
    ("configs", "said"),
    [
        ("[]", "has no configurations"),
        ("{'a': [1, 2]}", "are a list, and a sweep takes a list of dicts"),
        ("[1, 2]", "takes a list of dicts"),
        ("[{'aa': 1}]", "set `aa`"),
        ("[{'a': 1, 'pass_configs': {}}]", "pass_configs"),
        ("[{'a': {'b': 1}}]", "gives `a` a dict"),
        ("[{'a': print}]", "gives `a` a function"),
    ],
)
def test_what_no_sweep_can_go_through_is_said(configs: str, said: str) -> None:
    with pytest.raises(ConfigurationsError) as raised:
        read("", configs)
    assert said in str(raised.value)


def test_without_a_decorator_or_with_one_inside_it_is_said_what_to_do() -> None:
    bare = IMPORTS + KERNEL.format(configs="[]").replace("@tilelang.autotune", "#")
    with pytest.raises(ConfigurationsError, match="has no @autotune decorator"):
        read_configurations(bare, kernel_of(bare), {})
    inner = KERNEL.format(configs="get(M)").replace("\n", "\n    ")
    text = f"{IMPORTS}def outer(M):{inner}\n    return kernel(M)\n"
    with pytest.raises(ConfigurationsError, match=r"`kernel` inside `outer`.*at the top"):
        read_configurations(text, kernel_of(text), {"M": 64})
