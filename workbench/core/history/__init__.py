"""The history of a workspace: its runs in one SQLite file, their texts and artifacts beside it."""

from workbench.core.history.errors import (
    AmbiguousRunError,
    BlobMissingError,
    CorruptRunError,
    HistoryError,
    RunNotFoundError,
)
from workbench.core.history.query import RunFilter
from workbench.core.history.store import DEFAULT_QUOTA_BYTES, History, Listing, RowProblem

__all__ = [
    "DEFAULT_QUOTA_BYTES",
    "AmbiguousRunError",
    "BlobMissingError",
    "CorruptRunError",
    "History",
    "HistoryError",
    "Listing",
    "RowProblem",
    "RunFilter",
    "RunNotFoundError",
]
