"""What a block of attention's forward pass takes: shared memory and registers."""

from __future__ import annotations

from workbench.core.patterns.attention.fields import Family, family_of
from workbench.core.patterns.attention.roles import has_roles, keeps_queries
from workbench.core.patterns.model import Values
from workbench.core.targets.model import Target

_BYTES = 2


def shared_bytes(values: Values, target: Target) -> int:
    """Bytes of Q's tile and of K's and V's in each stage; the results take the place of one.

    Within the condition of packed sequences TileLang gives the results a place of their own; on
    CDNA the sums over lanes take some, too. The barriers of roles have a KiB for themselves.
    """
    apart = values.get("variable") and not has_roles(values)
    rows = values["block_M"] * (2 if apart else 1)
    keys = 2 * max(1, values["num_stages"]) * values["block_N"]
    sums = 8 * values["threads"] if family_of(target) is Family.CDNA else 0
    barriers = 1024 if has_roles(values) else 0
    return int((rows + keys) * values["dim"] * _BYTES + sums + barriers)


def registers_in_loop(values: Values, target: Target) -> int:
    """What a thread writes anew in each step: scores in 32 bits, weights two a register, results.

    Of queries that stay as they are the limit of a thread with a role tells more exactly.
    """
    m, n = values["block_M"], values["block_N"]
    return int((m * values["dim"] + m * n + m * n // 2) // values["threads"])


def registers_kept(values: Values, target: Target) -> int:
    """Registers of a thread for its values: of the loop, and of queries that lie in registers."""
    queries = values["block_M"] * values["dim"] // 2 if keeps_queries(values) else 0
    return registers_in_loop(values, target) + int(queries // values["threads"])
