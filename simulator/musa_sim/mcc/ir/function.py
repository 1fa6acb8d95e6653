"""Functions of a module: defined or declared."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from .blocks import Block, code_of, parse_code
from .instructions import Instruction
from .pieces import Piece
from .text import GLOBAL, LABEL, LOCAL, UnexpectedIR, bare, closing, global_name, global_names, lazy, split_list

#: A name among called functions: some function that is called through a pointer.
INDIRECT = "*"

_NAME = re.compile(rf'(?:define|declare) [^@"\n]*(?:"[^"]*"[^@"\n]*)*({GLOBAL})\(')
_BEFORE_ATTRIBUTES = re.compile(r"(?: (?:local_)?unnamed_addr)?")
_REFERENCE = re.compile(r"#\d+")
#: The start of a definition that several modules may have: the linker keeps one of them.
_SHARED = "define linkonce_odr "
_VISIBILITY = re.compile(r"(?:(?:dso_local|hidden|protected) )*")
_COMDAT = re.compile(rf" comdat(?:\(\${LABEL}\))?")
_CALL = re.compile(rf'(?:call|invoke) [^@"]*(?:"[^"]*"[^@"]*)*({GLOBAL})\(')
_CALL_WORDS = ("call ", "invoke ")
_INDIRECT_CALL = re.compile(rf"\b(?:call|invoke)\b[^@\n]*?[ *]{LOCAL}\(")
#: the opcode of a line that is an instruction
_OPCODE = re.compile(rf"  (?:{LOCAL} = )?(?:(?:tail|musttail|notail) )?(\w+)")
#: Each instruction that may synchronise has one of these. It is far quicker to search for words than to parse it.
_SYNCHRONISING = ("atomicrmw ", "cmpxchg ", "fence ", "load atomic", "load volatile")

#: Words for `has`. Code that orders its accesses with those of other threads, stores included:
ORDERED = (*_SYNCHRONISING, "store atomic", "store volatile", "~{memory}")
#: Copies of classes, accesses to vectors and to integers of 128 bits.
WIDE = ("@llvm.memcpy.", "load <", "store <", "load i128", "store i128")
ATOMIC = (" = atomicrmw ", " = cmpxchg ", " = load atomic ", "  store atomic ")
VOLATILE = ("load volatile", "store volatile")
FENCES = ("\n  fence ",)

#: Returns the text that replaces an instruction: one, several, or empty to drop it.
Change = Callable[[Instruction], str]


class Declaration(Piece):
    """A function: the line that declares it, or the head of its definition."""

    @property
    def head(self) -> str:
        """The line, up to the brace in a definition."""
        return self._text

    @lazy
    def _named(self) -> re.Match[str]:
        found = _NAME.match(self.head)
        if not found:
            raise UnexpectedIR(f"a function has no name: {self.head}")
        return found

    @lazy
    def name(self) -> str:
        """Its bare name."""
        return bare(self._named[1])

    @lazy
    def _closing(self) -> int:
        return closing(self.head, self._named.end() - 1)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters, each with its type, attributes and name."""
        return tuple(split_list(self.head[self._named.end() : self._closing]))

    @lazy
    def _behind(self) -> str:
        return self.head[self._closing :]

    def has_attribute(self, attribute: str, groups: Collection[str]) -> bool:
        """Return whether it has an attribute itself, or one of these groups of attributes."""
        behind = self._behind
        return attribute in behind or any(name in groups for name in _REFERENCE.findall(behind))


class Function(Declaration):
    """A definition. Its body stays text until its blocks are read."""

    def __init__(self, head: str, code: str | Sequence[Block]) -> None:
        super().__init__(head)
        self._code = code

    @property
    def text(self) -> str:
        """The definition, the end of its last line included."""
        return self.head + self.code

    @lazy
    def code(self) -> str:
        """The body, from the opening brace to the closing one and the end of its line."""
        return self._code if isinstance(self._code, str) else code_of(self._code)

    @lazy
    def blocks(self) -> tuple[Block, ...]:
        """The basic blocks of the body."""
        return parse_code(self._code) if isinstance(self._code, str) else tuple(self._code)

    def __len__(self) -> int:
        return len(self.head) + len(self.code)

    @lazy
    def calls(self) -> frozenset[str]:
        """The functions that are called; INDIRECT among them for a call through a pointer."""
        names: set[str] = set()
        for line in _call_lines(self.code):
            named = _CALL.match(line)
            if named:
                names.add(bare(named[1]))
            if _INDIRECT_CALL.match(line):
                names.add(INDIRECT)
        return frozenset(names)

    @lazy
    def mentions(self) -> frozenset[str]:
        """All globals that are named, called or not."""
        return frozenset(map(bare, global_names(self.text)))

    @lazy
    def may_synchronise(self) -> bool:
        """Whether anything in it is volatile, atomic or a fence."""
        if not any(word in self.code for word in _SYNCHRONISING):
            return False
        return any(item.may_synchronise for block in self.blocks for item in block.instructions)

    def has(self, words: Iterable[str]) -> bool:
        """Return whether one of these words is in its code: ATOMIC, FENCES and the like."""
        return any(word in self.code for word in words)

    def with_head(self, head: str) -> Function:
        """Return the function with another head."""
        return Function(head, self._code)

    def with_parameters(self, parameters: Iterable[str]) -> Function:
        """Return the function with another list of parameters."""
        return self.with_head(f"{self.head[: self._named.end()]}{', '.join(parameters)}{self._behind}")

    def with_attribute(self, attribute: str) -> Function:
        """Return the function with one more attribute."""
        behind = _BEFORE_ATTRIBUTES.match(self.head, self._closing + 1)
        assert behind, "it also matches an empty text"
        return self.with_head(f"{self.head[: behind.end()]} {attribute}{self.head[behind.end() :]}")

    def as_own(self) -> Function:
        """Return the function as its module's own, if other modules may have it too.

        LLVM infers nothing about a function if the linker may take the definition of another module.
        """
        if not self.head.startswith(_SHARED):
            return self
        head, behind = self.head[: self._closing], _COMDAT.sub("", self._behind)
        return self.with_head(f"define internal {_VISIBILITY.sub('', head[len(_SHARED) :], count=1)}{behind}")

    def calls_of(self, name: str) -> list[Instruction]:
        """Return its calls of a function."""
        if f"{global_name(name)}(" not in self.code:
            return []
        return [item for block in self.blocks for item in block.instructions if item.callee == name]

    def with_groups(self, names: Collection[str], others: Mapping[str, str]) -> Function:
        """Return the function with other attribute groups at calls of these functions, and at itself if it is one."""

        def changed(text: str, at: int) -> str:
            return text[:at] + _REFERENCE.sub(lambda found: others.get(found[0], found[0]), text[at:])

        def call(item: Instruction) -> str:
            return changed(item.text, item.end_of_arguments) if item.callee in names else item.text

        head = changed(self.head, self._closing) if self.name in names else self.head
        return self.rewrite({"call": call, "invoke": call}).with_head(head)

    def replacing(self, change: Callable[[Instruction], Iterable[Instruction]]) -> Function:
        """Return the function with other instructions in place of each."""
        return self.with_blocks(
            [
                block.with_instructions([new for item in block.instructions for new in change(item)])
                for block in self.blocks
            ]
        )

    def with_blocks(self, blocks: Sequence[Block]) -> Function:
        """Return the function with another body."""
        return Function(self.head, blocks)

    def without_attachments(self, *kinds: str) -> Function:
        """Return the function without metadata of these kinds at its instructions."""
        if ", !" not in self.code:
            return self
        return Function(self.head, re.sub(rf", !(?:{'|'.join(kinds)}) ![0-9]+", "", self.code))

    def rewrite(self, changes: Mapping[str, Change]) -> Function:
        """Return the function with `changes[opcode](instruction)` in place of the instructions of these opcodes.

        These instructions must have one line each.
        """
        if not any(f"{opcode} " in self.code for opcode in changes):
            return self
        lines: list[str] = []
        changed = False
        for line in self.code.split("\n"):
            opcode = _OPCODE.match(line)
            change = changes.get(opcode[1]) if opcode else None
            text = change(Instruction(line)) if change else line
            changed = changed or text is not line
            if text or not change:
                lines.append(text)
        return Function(self.head, "\n".join(lines)) if changed else self


def _call_lines(code: str) -> Iterator[str]:
    """Yield each line of a function's body that calls something, from `call` or `invoke` on.

    This is quicker than a pattern, which looks at every line: a module of a hundred megabytes has few calls.
    """
    for word in _CALL_WORDS:
        at = code.find(word)
        while at >= 0:
            if code[at - 1] == " ":  # not the end of a name, as in `%call = call ...`
                end = code.index("\n", at)
                yield code[at:end]
                at = code.find(word, end)
            else:
                at = code.find(word, at + 1)
