"""Opens what a run was made from as it was asked for, so that it can be done again."""

from __future__ import annotations

from workbench.core.history import History
from workbench.core.runs import Run
from workbench.session.open_document import OpenDocument
from workbench.session.session import Session


def open_run_text(session: Session, history: History, run: Run) -> OpenDocument:
    """Open the exact text of a run as a document of its own.

    Raises HistoryError where the text is not kept, and DocumentError.
    """
    text = history.blob(run.text_blob).decode("utf-8", "replace") if run.text_blob else ""
    name = (run.document or "untitled.py").rsplit("/", 1)[-1]
    title = f"{name.removesuffix('.py')} as of {run.created:%H.%M.%S}.py"
    return session.open_text(text, title, foreign=run.origin is not None)


def ask_as_run(session: Session, document: OpenDocument, run: Run) -> None:
    """Choose the kernel, the case, the arguments and the target that a run was asked for."""
    session.choose(document, run.kernel, run.case)
    for name, value in run.args.items():
        session.set_argument(document, name, value)
    if run.target is not None:
        session.set_targets(document, (run.target,))
