"""What runs stored beside their figures, read back."""

from __future__ import annotations

import json
from typing import Any

from workbench.core.history import BlobMissingError, History
from workbench.core.plain import PlainError
from workbench.core.profiles import ProfileResult
from workbench.core.runs import Artifact, Run
from workbench.session.recording.profiles import PROFILE, profile_of

_JSON = "application/json"


def stored_value(history: History, artifact: Artifact) -> Any:
    """An artifact's content: JSON as its value, text as text; None where it is bytes, or lost."""
    try:
        content = history.blob(artifact.blob)
        if artifact.media_type == _JSON:
            return json.loads(content)
        return content.decode("utf-8") if artifact.media_type.startswith("text/") else None
    except (BlobMissingError, ValueError, RecursionError):
        return None


def stored_profile(history: History, run: Run) -> ProfileResult | None:
    """The whole result of a profile, with every sample; None where the run has none, or lost it."""
    artifact = next((each for each in run.artifacts if each.name == PROFILE), None)
    if artifact is None:
        return None
    try:
        return profile_of(history.blob(artifact.blob))
    except (BlobMissingError, PlainError):
        return None
