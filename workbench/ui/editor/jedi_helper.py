"""The process that runs Jedi: requests as JSON lines on stdin, answers as JSON lines on stdout."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import jedi
import parso.cache

from workbench.core.user_folders import user_cache_folder

READY = 0
# Parsing tilelang takes Jedi some ten seconds the first time; nobody should wait for it later.
WARM_UP = {
    "kind": "complete",
    "text": "import tilelang.language as T\nT.",
    "line": 2,
    "column": 2,
    "path": None,
}
SUMMARY_LENGTH = 120


def complete(script: Any, line: int, column: int) -> list[dict[str, Any]]:
    """The names that may stand at a place."""
    return [{"name": found.name, "kind": found.type} for found in script.complete(line, column)]


def signatures(script: Any, line: int, column: int) -> list[dict[str, Any]]:
    """The calls around a place."""
    return [
        {
            "name": found.name,
            "parameters": [_parameter(parameter) for parameter in found.params],
            "index": found.index,
            "summary": found.docstring(raw=True).strip().split("\n")[0][:SUMMARY_LENGTH],
        }
        for found in script.get_signatures(line, column)
    ]


def definitions(script: Any, line: int, column: int) -> list[dict[str, Any]]:
    """Where the name at a place is defined, through imports; what is built in has no place."""
    found = script.goto(line, column, follow_imports=True)
    return [
        {"name": name.name, "path": str(name.module_path), "line": name.line}
        for name in found
        if name.module_path is not None and name.line is not None
    ]


KINDS: dict[str, Callable[[Any, int, int], list[dict[str, Any]]]] = {
    "complete": complete,
    "signatures": signatures,
    "definitions": definitions,
}


def answer(request: dict[str, Any], environment: Any) -> dict[str, Any]:
    """Answer a request; a fault of Jedi is told in the answer, and the process goes on."""
    try:
        items = _items(request, environment)
    except Exception as error:  # Jedi raises whatever the code that it looks at makes it raise
        return {"id": request["id"], "items": [], "error": f"{type(error).__name__}: {error}"}
    return {"id": request["id"], "items": items}


def _items(request: dict[str, Any], environment: Any) -> list[dict[str, Any]]:
    """What Jedi finds. Files that it kept in half, because it was killed at it, are made anew."""
    script = _script(request["text"], request["path"], environment)
    find = KINDS[request["kind"]]
    try:
        return find(script, request["line"], request["column"])
    except (EOFError, pickle.UnpicklingError):
        parso.cache.clear_cache(Path(jedi.settings.cache_directory))  # type: ignore[no-untyped-call]
    script = _script(request["text"], request["path"], environment)
    return find(script, request["line"], request["column"])


def serve(requests: TextIO, answers: TextIO) -> None:
    """Say by an answer to request 0 that all is ready, then answer until the requests end."""
    # Jedi's usual environment is a further process; this one is already apart.
    environment = jedi.InterpreterEnvironment()
    _write(answer({"id": READY, **WARM_UP}, environment) | {"items": []}, answers)
    for line in requests:
        _write(answer(json.loads(line), environment), answers)


def _write(made: dict[str, Any], answers: TextIO) -> None:
    answers.write(json.dumps(made) + "\n")
    answers.flush()


def _script(text: str, path: str | None, environment: Any) -> Any:
    folder = Path(path).parent if path else Path.cwd()
    project = jedi.Project(folder, load_unsafe_extensions=False)
    return jedi.Script(text, path=path, environment=environment, project=project)


def _parameter(parameter: Any) -> str:
    return str(parameter.to_string()).removeprefix("param ")


if __name__ == "__main__":
    output = sys.stdout
    # Of its own: other programs' Jedi keeps files as well, and these may have to be thrown away.
    jedi.settings.cache_directory = str(user_cache_folder() / "jedi")
    sys.stdout = sys.stderr  # what a library prints must not stand between the answers
    serve(sys.stdin, output)
