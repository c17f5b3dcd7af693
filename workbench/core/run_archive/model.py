"""The form of an archive of runs: its entries, its versions, and the bounds of what is read.

An archive is a zip file with these entries; others are not looked at:

- `manifest.json`: `{"format", "version", "created", "machine", "machine_id", "writer", "runs"}`
- `runs.jsonl`: a line for each run, `{"sha256", "run"}`, the hash over the run's canonical JSON
- `blobs/<sha256>`: what runs refer to, each once

Versions: 1. As above.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from workbench.core.runs import blob_hash

FORMAT = "tilelang-workbench-runs"
VERSION = 1
SUFFIX = ".tlw.zip"
MANIFEST = "manifest.json"
RUNS = "runs.jsonl"

#: What is read at most, unpacked, whatever an archive claims: a manifest, one run, one content,
#: and all of them together. What is larger is not written either.
MOST_MANIFEST_BYTES = 2**20
MOST_RUN_BYTES = 16 * 2**20
MOST_BLOB_BYTES = 256 * 2**20
MOST_BYTES = 4 * 2**30
MOST_RUNS = 200_000


class ArchiveError(Exception):
    """An archive cannot be read or written as a whole; the message says why and what next."""


@dataclass(frozen=True)
class EntryProblem:
    """What is wrong with one entry of an archive; the others are not touched by that."""

    entry: str
    message: str

    def __str__(self) -> str:
        return f"{self.entry}: {self.message}"


@dataclass(frozen=True)
class Manifest:
    """What an archive says of itself; `machine` is the name of the computer that wrote it.

    Several computers may have that name: `machine_id` tells them apart, None in older archives.
    """

    version: int
    created: str | None = None
    machine: str | None = None
    writer: str | None = None
    runs: int | None = None
    machine_id: str | None = None


def blob_entry(name: str) -> str:
    """The entry of the content with the sha256 `name`."""
    return f"blobs/{name}"


def run_hash(run: Any) -> str:
    """The sha256 of a run's JSON value, however it was laid out; of text in any encoding."""
    canonical = json.dumps(run, sort_keys=True, separators=(",", ":"))
    return blob_hash(canonical.encode("ascii"))
