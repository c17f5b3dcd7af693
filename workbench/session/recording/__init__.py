"""Turns the end of a job into a run of the workspace's history."""

from workbench.session.recording.histories import open_copy, open_history
from workbench.session.recording.lowering import record_analysis, record_compile
from workbench.session.recording.profiles import record_profile
from workbench.session.recording.scripts import record_script
from workbench.session.recording.verifying import record_verify

__all__ = [
    "open_copy",
    "open_history",
    "record_analysis",
    "record_compile",
    "record_profile",
    "record_script",
    "record_verify",
]
