"""Verifies right kernels with one mistake each in the simulator, and counts what is noticed.

    python benchmarks/mutations.py [--only TEXT] [--write]

`--only` takes the mutants whose description holds a text. `--write` keeps the outcomes in
`tests/data/mutations/outcomes.json`, of which `docs/simulator.md` holds the table. Minutes.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from workbench.engine import environment  # noqa: E402 - the path comes first

environment.prepare()

from mutations import Outcome, explanations, mutants, outcome_of, table  # noqa: E402

OUTCOMES = ROOT / "tests" / "data" / "mutations" / "outcomes.json"


def run_all(only: str) -> dict[str, Outcome]:
    """The outcomes by the mutants' descriptions; each is told as it is known."""
    logging.disable(logging.CRITICAL)  # what TileLang says of kernels that it refuses
    found: dict[str, Outcome] = {}
    with tempfile.TemporaryDirectory() as folder:
        for mutant in (each for each in mutants() if only in each.key):
            begun = time.perf_counter()
            found[mutant.key] = outcome = outcome_of(mutant, Path(folder))
            seconds = time.perf_counter() - begun
            print(f"{seconds:5.1f} s  {outcome.how:9}  {mutant.key}  {', '.join(outcome.codes)}")
    return found


def _keep(found: dict[str, Outcome]) -> None:
    """Put outcomes beside those that are kept, and drop what is no mutant any more."""
    known = json.loads(OUTCOMES.read_text(encoding="utf-8")) if OUTCOMES.is_file() else {}
    known |= {key: {"how": each.how, "codes": each.codes} for key, each in found.items()}
    rows = {each.key: known[each.key] for each in mutants() if each.key in known}
    OUTCOMES.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Run, print the tables, and write the outcomes where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="mutants that hold a text (all)")
    parser.add_argument("--write", action="store_true", help="keep the outcomes")
    options = parser.parse_args()
    found = run_all(options.only)
    hows = {key: outcome.how for key, outcome in found.items()}
    print(f"\n{table(hows)}\n\n{explanations(hows)}")
    if options.write:
        _keep(found)


if __name__ == "__main__":
    main()
