from __future__ import annotations

from workbench.engine.reference.docstrings import read_docstring

GOOGLE = """Moves a tile.

    It goes on here,
    over two lines.

        code = that_is_left_out()

    Args:
        src (Buffer): where from,
            and more of it
        dst: where to

    Returns:
        Handle: a handle
    """

NUMPY = """Makes a loop.

    Parameters
    ----------
    start : int
        The first value.
    stop : int
        The end.

    Returns
    -------
    frame : Frame
        The frame.
    """


def test_googles_form() -> None:
    doc = read_docstring(GOOGLE)
    assert doc.summary == "Moves a tile."
    assert doc.details == "It goes on here, over two lines."
    assert doc.parameters == {"src": "where from, and more of it", "dst": "where to"}
    assert doc.returns == "Handle: a handle"


def test_numpys_form() -> None:
    doc = read_docstring(NUMPY)
    assert doc.parameters == {"start": "The first value.", "stop": "The end."}
    assert doc.returns == "frame : Frame The frame."


def test_points_of_a_list_have_lines_of_their_own() -> None:
    doc = read_docstring("First.\n\nTwo modes:\n- one,\n  that goes on\n- another\n")
    assert doc.details == "Two modes:\n- one, that goes on\n- another"


def test_no_docstring_is_empty() -> None:
    assert read_docstring(None) == read_docstring("")
