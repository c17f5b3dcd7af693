"""Splits text into lines and their ends, as the editor keeps them, so that saving loses nothing."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

# Everything at which a QTextDocument begins another block. The last three are not line ends to
# Python; they are kept here so that a string that holds one comes back as it was.
_END = re.compile("\r\n|\n|\r|\u2029|\ufdd0|\ufdd1")
DEFAULT_END = "\n"


@dataclass(frozen=True)
class SplitText:
    """Lines without their ends; `ends` has one less, as no end follows the last line."""

    lines: tuple[str, ...]
    ends: tuple[str, ...]

    @property
    def usual_end(self) -> str:
        """The end that most lines have, which new lines get."""
        common = Counter(self.ends).most_common(1)
        return common[0][0] if common else DEFAULT_END


def split_text(text: str) -> SplitText:
    """Split text at every line end; joined again with the ends it is the same text."""
    return SplitText(tuple(_END.split(text)), tuple(_END.findall(text)))
