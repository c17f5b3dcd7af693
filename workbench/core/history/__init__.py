"""The history of a workspace: its runs in one SQLite file, their texts and artifacts beside it."""

from workbench.core.history.collection import CleanUp
from workbench.core.history.errors import (
    AmbiguousRunError,
    BlobMissingError,
    CorruptRunError,
    HistoryBusyError,
    HistoryError,
    RunNotFoundError,
)
from workbench.core.history.query import FileIdentity, FilterChoices, RunFilter, RunSource
from workbench.core.history.store import DEFAULT_QUOTA_BYTES, History, Listing, RowProblem

__all__ = [
    "DEFAULT_QUOTA_BYTES",
    "AmbiguousRunError",
    "BlobMissingError",
    "CleanUp",
    "CorruptRunError",
    "FileIdentity",
    "FilterChoices",
    "History",
    "HistoryBusyError",
    "HistoryError",
    "Listing",
    "RowProblem",
    "RunFilter",
    "RunNotFoundError",
    "RunSource",
]
