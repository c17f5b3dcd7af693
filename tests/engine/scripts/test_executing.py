from __future__ import annotations

from pathlib import Path

from workbench.core.jobs import Source
from workbench.engine.scripts import executing
from workbench.engine.scripts.lacks import AbsentPackageError, LackError


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as caught:
        return caught


def test_an_exit_status_is_a_failure_and_0_is_none() -> None:
    failure = executing._exit_failure(SystemExit(3), lambda name: False, "script.py")
    assert failure is not None
    assert (failure.kind, failure.message) == ("kernel", "the script ended with sys.exit(3)")
    assert executing._exit_failure(SystemExit(0), lambda name: False, "script.py") is None


def test_what_is_missing_is_not_the_scripts_fault() -> None:
    error = raised(AbsentPackageError("x.f is called", "helper.py", 4))
    failure = executing.failure_of(error, lambda name: True, "script.py")
    assert (failure.kind, failure.message) == ("environment", "x.f is called (helper.py:4)")


def test_an_error_in_another_file_of_the_script_is_named_with_it() -> None:
    failure = executing.failure_of(raised(ValueError("bad")), lambda name: True, "script.py")
    assert failure.kind == "kernel"
    assert failure.message.startswith("ValueError: bad (test_executing.py:")


def test_what_is_missing_is_found_behind_another_error() -> None:
    lack, outer = LackError("y", None, None), ValueError("x")
    outer.__cause__ = lack
    assert executing.lack_behind(outer) is lack
    assert executing.lack_behind(ValueError("x")) is None


def test_files_of_packages_are_not_the_scripts(tmp_path: Path) -> None:
    source = Source(str(tmp_path / "a" / "script.py"), "", str(tmp_path))
    belongs = executing.of_script(source)
    assert belongs(str(tmp_path / "b" / "helper.py"))
    assert not belongs(str(tmp_path / "site-packages" / "x.py"))
    assert not belongs(executing.__file__)
    assert not belongs("<string>")
