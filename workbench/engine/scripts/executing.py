"""Executes one script in this process, as `python SCRIPT ARGS` or as `pytest SCRIPT ARGS`."""

from __future__ import annotations

import importlib.util
import linecache
import os
import sys
import traceback
import types
from collections.abc import Callable
from pathlib import Path

from workbench.core.jobs import Failure, RunScriptRequest, Source
from workbench.engine import faults
from workbench.engine.scripts.journal import Journal
from workbench.engine.scripts.lacks import lack_behind


def of_script(source: Source) -> Callable[[str], bool]:
    """Tells whether a file belongs to the script: it lies in its folder or its workspace."""
    roots = [Path(source.path).resolve().parent, Path(source.workspace).resolve()]
    away = (Path(sys.prefix).resolve(), Path(__file__).resolve().parents[2])

    def belongs(name: str) -> bool:
        if name.startswith("<"):
            return False
        path = Path(name)
        if "site-packages" in path.parts or any(folder in path.parents for folder in away):
            return False
        return any(root in path.parents for root in roots)

    return belongs


def execute(request: RunScriptRequest, journal: Journal) -> Failure | None:
    """Run the script and return why it failed; None where it came to a good end."""
    path = request.source.path
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    sys.argv = [path, *request.args]
    belongs = of_script(request.source)
    try:
        if request.as_tests:
            return _run_tests(request, journal)
        _run_main(request.source)
    except SystemExit as error:
        return _exit_failure(error, belongs, path)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return failure_of(error, belongs, path)
    return None


def failure_of(error: BaseException, belongs: Callable[[str], bool], path: str) -> Failure:
    """A failure with the script's deepest line; another of its files is named in the message."""
    lack = lack_behind(error)
    raw = "".join(traceback.format_exception(type(error), error, _from_script(error, belongs)))
    line = faults.line_of(error, path)
    if lack is not None:
        return Failure("environment", _placed(str(lack), lack.file, lack.line, path), raw, line)
    if isinstance(error, MemoryError) or "DefaultCPUAllocator" in str(error):
        return Failure("memory", f"out of memory: {faults.describe(error)}", raw, line)
    file, deepest = _deepest(error, belongs)
    return Failure("kernel", _placed(faults.describe(error), file, deepest, path), raw, line)


def _run_tests(request: RunScriptRequest, journal: Journal) -> Failure | None:
    if importlib.util.find_spec("pytest") is None:
        return Failure("environment", "pytest is not installed here: pip install pytest")
    from workbench.engine.scripts import testing

    status = testing.run_tests(request.source.path, request.args, journal)
    return _PYTEST_ENDS.get(status)


def _run_main(source: Source) -> None:
    lines = source.text.splitlines(keepends=True)
    linecache.cache[source.path] = (len(source.text), None, lines, source.path)
    code = compile(source.text, source.path, "exec", dont_inherit=True)
    module = types.ModuleType("__main__")
    module.__file__ = source.path
    module.__builtins__ = __builtins__  # type: ignore[attr-defined]
    sys.modules["__main__"] = module
    exec(code, module.__dict__)


# pytest.ExitCode: 1 tests failed, 2 interrupted, 3 internal error, 4 usage, 5 nothing collected.
_PYTEST_ENDS = {
    1: Failure("kernel", "tests failed"),
    2: Failure("kernel", "pytest stopped before the end: a file could not be collected"),
    3: Failure("environment", "pytest failed itself"),
    4: Failure("environment", "pytest does not accept its arguments"),
    5: Failure("environment", "pytest found no tests"),
}


def _exit_failure(error: SystemExit, belongs: Callable[[str], bool], path: str) -> Failure | None:
    if error.code in (None, 0):
        return None
    _, line = _deepest(error, belongs)
    lack = lack_behind(error.__context__)
    kind = "environment" if lack is not None else "kernel"
    return Failure(kind, f"the script ended with sys.exit({error.code!r})", None, line)


def _from_script(
    error: BaseException, belongs: Callable[[str], bool]
) -> types.TracebackType | None:
    trace = error.__traceback__
    while trace is not None and not belongs(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace or error.__traceback__


def _deepest(error: BaseException, belongs: Callable[[str], bool]) -> tuple[str | None, int | None]:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if belongs(f.filename)]
    return (frames[-1].filename, frames[-1].lineno) if frames else (None, None)


def _placed(message: str, file: str | None, line: int | None, path: str) -> str:
    if file is None or file == path:
        return message
    return f"{message} ({os.path.basename(file)}:{line})"
