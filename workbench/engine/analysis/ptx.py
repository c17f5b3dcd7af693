"""Reads PTX: the instructions of an entry with their operands, guards, branch targets and lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Location = tuple[str, int]
_GUARD = re.compile(r"@(!?)\s*([%$\w]+)\s+(.*)", re.S)
_LABEL = re.compile(r"([$\w]+)\s*:(?!:)")
_LOC = re.compile(r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)(.*)")
_INLINED = re.compile(r"inlined_at\s+(\d+)\s+(\d+)\s+(\d+)")
_SHARED = re.compile(
    r"(\.extern\s+)?\.shared\s+\.align\s+(\d+)\s+\.(\w+)\s+([$\w]+)(?:\[(\d*)\])?\s*;"
)
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.\w+\s+([$\w]+)")
_BYTES = {"b8": 1, "u8": 1, "b16": 2, "u16": 2, "b32": 4, "u32": 4, "f32": 4, "b64": 8, "u64": 8}


class PtxError(Exception):
    """The text is not the PTX that is expected; the message says what is missing."""


@dataclass(frozen=True)
class Instruction:
    """One instruction. `target` is the index that a branch goes to.

    `op` are the opcode's parts, `operands` as written. `line` is where the source has it: the
    outermost place that it was inlined to.
    """

    op: tuple[str, ...]
    operands: tuple[str, ...]
    guard: str | None
    negated: bool
    line: Location | None
    target: int | None = None

    @property
    def type(self) -> str:
        """The last part of the opcode that is a type: `u32`."""
        return self.op[-1]

    @property
    def text(self) -> str:
        """The opcode as it is written."""
        return ".".join(self.op)


@dataclass(frozen=True)
class Entry:
    """A kernel: instructions, parameters in order, shared variables with their offsets."""

    name: str
    instructions: tuple[Instruction, ...]
    parameters: tuple[str, ...]
    shared: dict[str, int]


def read_entry(text: str, name: str) -> Entry:
    """The entry `name` of a PTX module. Raises PtxError."""
    begin = re.search(rf"\.entry\s+{re.escape(name)}\s*\(", text)
    if begin is None:
        raise PtxError(f"the PTX has no entry {name}")
    brace = text.index("{", begin.end())
    body = text[brace + 1 : _closing(text, brace)]
    parameters = tuple(_PARAMETER.findall(text[begin.end() : brace]))
    reader = _Reader(Locations(text))
    for line in body.splitlines():
        reader.take(line)
    return Entry(name, tuple(reader.resolved()), parameters, _shared(text, body))


def operand_list(text: str) -> tuple[str, ...]:
    """Operands split at the commas that are in no brackets."""
    found, depth, current = [], 0, ""
    for character in text:
        depth += (character in "{[(") - (character in "}])")
        if character == "," and depth == 0:
            found.append(current.strip())
            current = ""
        else:
            current += character
    return tuple([*found, current.strip()] if current.strip() else found)


class Locations:
    """Follows the `.loc` directives of a text: `current` is where the instructions after one are.

    That is the outermost place that they were inlined to.
    """

    def __init__(self, text: str) -> None:
        found = re.findall(r'\.file\s+(\d+)\s+"([^"]+)"', text)
        self._files = {int(number): path for number, path in found}
        self._outermost: dict[tuple[int, ...], tuple[int, ...]] = {}
        self.current: Location | None = None

    def take(self, line: str) -> None:
        """Take a line that begins with `.loc`; one of another kind changes nothing."""
        match = _LOC.match(line)
        if match is None:
            return
        here = tuple(int(each) for each in match.groups()[:3])
        inlined = _INLINED.search(match[4])
        # A place inlined several times, as in a recursion, is told anew each time before its uses.
        caller = tuple(int(each) for each in inlined.groups()) if inlined else here
        outermost = self._outermost.get(caller, caller) if inlined else here
        self._outermost[here] = outermost
        self.current = (self._files.get(outermost[0], ""), outermost[1])


class _Reader:
    """Takes a body line by line; blocks of inline assembly have their own registers and labels."""

    def __init__(self, locations: Locations) -> None:
        self._locations = locations
        self._instructions: list[tuple[Instruction, tuple[int, ...]]] = []
        self._labels: dict[tuple[int, str], int] = {}
        self._scopes: list[int] = []
        self._made = 0
        self._local: dict[int, set[str]] = {}
        self._pending = ""

    def take(self, line: str) -> None:
        stripped = line.partition("//")[0].strip()
        if stripped.startswith(".loc"):
            self._locations.take(stripped)
            return
        self._pending += " " + stripped
        while self._step():
            pass

    def resolved(self) -> Iterator[Instruction]:
        """The instructions with branches bound to indices."""
        for instruction, scopes in self._instructions:
            if instruction.op[0] != "bra":
                yield instruction
                continue
            label = instruction.operands[0]
            found = [self._labels.get((scope, label)) for scope in (*reversed(scopes), 0)]
            target = next((index for index in found if index is not None), None)
            if target is None:
                raise PtxError(f"the branch to {label} leads nowhere")
            yield _with_target(instruction, target)

    def _step(self) -> bool:
        """Take the first thing off what is pending; False where it is not complete."""
        self._pending = text = self._pending.strip()
        if not text:
            return False
        if text[0] == "{" and not re.match(r"\{[^{};]*\}\s*[,;]", text):
            self._made += 1
            self._scopes.append(self._made)
            self._pending = text[1:]
            return True
        if text[0] == "}":
            self._scopes.pop()
            self._pending = text[1:]
            return True
        label = _LABEL.match(text)
        if label is not None:
            scope = self._scopes[-1] if self._scopes else 0
            self._labels[(scope, label[1])] = len(self._instructions)
            self._pending = text[label.end() :]
            return True
        statement, found, self._pending = text.partition(";")
        if not found:
            self._pending = statement
            return False
        self._statement(statement.strip())
        return True

    def _statement(self, statement: str) -> None:
        if statement.startswith(".reg") and self._scopes:
            names = re.split(r"[,\s]+", statement)[2:]
            self._local.setdefault(self._scopes[-1], set()).update(names)
        if not statement or statement.startswith("."):
            return
        for scope in reversed(self._scopes):
            for register in self._local.get(scope, ()):
                pattern = rf"(?<![\w%$]){re.escape(register)}(?![\w$])"
                statement = re.sub(pattern, f"{register}${scope}", statement)
        guard = _GUARD.match(statement)
        if guard is not None:
            statement = guard[3]
        opcode, _, operands = statement.partition(" ")
        if "\t" in opcode:
            opcode, _, rest = statement.partition("\t")
            operands = rest
        instruction = Instruction(
            tuple(opcode.strip().strip(".").split(".")),
            operand_list(operands.strip()),
            guard[2] if guard else None,
            bool(guard and guard[1]),
            self._locations.current,
        )
        self._instructions.append((instruction, tuple(self._scopes)))


def _with_target(instruction: Instruction, target: int) -> Instruction:
    return Instruction(
        instruction.op,
        instruction.operands,
        instruction.guard,
        instruction.negated,
        instruction.line,
        target,
    )


def _closing(text: str, brace: int) -> int:
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, brace):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    raise PtxError("the entry does not end")


def _shared(module: str, body: str) -> dict[str, int]:
    """Offsets of the shared variables: static ones in their order, dynamic memory behind them."""
    outside = module.replace(body, "")
    found = [*_SHARED.findall(outside), *_SHARED.findall(body)]
    offset, offsets = 0, {}
    for extern, align, kind, name, count in sorted(found, key=lambda each: bool(each[0])):
        offset = -(-offset // int(align)) * int(align)
        offsets[name] = offset
        if not extern:
            offset += _BYTES.get(kind, 1) * int(count or 1)
    return offsets


def defined(instruction: Instruction) -> tuple[str, ...]:
    """The registers that an instruction writes."""
    head = instruction.op[0]
    if head in _WRITES_NOTHING or not instruction.operands:
        return ()
    if head == "cp" or (head == "mbarrier" and not instruction.operands[0].startswith("%")):
        waits = "wait" in instruction.text
        return registers(instruction.operands[:1]) if waits and head == "mbarrier" else ()
    return registers(instruction.operands[:1])


def used(instruction: Instruction) -> tuple[str, ...]:
    """The registers that an instruction reads, its guard included."""
    own = instruction.operands if not defined(instruction) else instruction.operands[1:]
    guard = (instruction.guard,) if instruction.guard else ()
    return (*registers(own), *guard)


def registers(operands: Sequence[str]) -> tuple[str, ...]:
    """The names in operands that may be registers."""
    names = [name for operand in operands for name in re.findall(r"[%$A-Za-z_][\w$.]*", operand)]
    return tuple(name for name in names if name != "_")


_WRITES_NOTHING = (
    "st",
    "red",
    "bra",
    "ret",
    "exit",
    "bar",
    "barrier",
    "membar",
    "fence",
    "prefetch",
    "stmatrix",
    "setmaxnreg",
    "trap",
    "nanosleep",
    "wgmma",
    "tcgen05",
    "griddepcontrol",
    "discard",
)
