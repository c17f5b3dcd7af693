"""Archives of runs with the texts and artifacts that they refer to, to carry between machines."""

from workbench.core.run_archive.model import (
    SUFFIX,
    ArchiveError,
    EntryProblem,
    Manifest,
)
from workbench.core.run_archive.reading import RunArchive
from workbench.core.run_archive.writing import Written, write_archive

__all__ = [
    "SUFFIX",
    "ArchiveError",
    "EntryProblem",
    "Manifest",
    "RunArchive",
    "Written",
    "write_archive",
]
