"""Find out whether a value is only printed: by printf, to a stream that people read, in a message.

A value in a text that snprintf or a stringstream makes does not count as printed: the text may be compared later.
"""

from __future__ import annotations

import re

from .brackets import bracket_around, closing, depth_zero, statement_begin

_LEVELS = 8  # of brackets around a value
# Calls that print all their arguments; those that print all but the first, which they check; those that hand on.
_PRINTING = re.compile(
    r"(?:f|w|fw|v|vf)?printf(?:_s)?|f?puts|print(?:ln|_\w+)?|Print\w*|[A-Z0-9_]*PRINT[FA-Z0-9_]*"
    r"|(?:\w+_)?(?:V|D|P)?LOG(?:_\w+)?|(?:\w+_)?(?:INFO|DEBUG|TRACE|WARN|WARNING|ERROR|FATAL)(?:_ONCE|_F|F)?"
    r"|(?:std_)?(?:runtime|logic|range|domain)_error|invalid_argument|\w*(?:Exception|Error)|[a-z]+Warning"
)
_LOGGER = re.compile(r"(?:log|logger|spdlog|LOG|Logger)\s*(?:\(\s*\))?\s*(?:\.|->|::)\s*\w+\s*\Z")
_CHECKING = re.compile(
    r"(?:STD_)?TORCH_(?:CHECK|INTERNAL_ASSERT)\w*|AT_(?:ASSERTM?|CHECK)|\w*(?:CHECK|ASSERT|ENFORCE)_?MSG"
)
_HANDING_ON = re.compile(
    r"\w*_cast|to_string|str|string|StrCat|StrFormat|format|min|max|abs|int|unsigned|long|float|double|size_t|\w+int\d+_t"
)
# Profilers' ranges, parts of tests and of pictures, and functions that report errors: their texts are for people.
LABELLED = re.compile(
    r"nvtx\w*|roctx\w*|\w*RECORD_FUNCTION\w*|\w*(?i:error|warn|profile|scope|timer|label|title|caption|legend)\w*"
    r"|(?:DYNAMIC_)?SECTION|SUBCASE|SCENARIO|\w*TEST_CASE"
)
_STREAM = re.compile(
    r"(?:std\s*::\s*)?w?(?:cout|cerr|clog)\b|(?:\w+_)?(?:V|D|P)?LOG(?:_\w+)?\s*\(|[A-Z_]*(?:INFO|WARN|WARNING|ERROR|FATAL)\b"
)


def prints(name: str) -> bool:
    """Return whether the function or macro `name` prints its arguments."""
    return _PRINTING.fullmatch(name) is not None


def is_printed(code: str, start: int) -> bool:
    """Return whether the only use of the value that begins at `start` in its statement is to print it."""
    for _ in range(_LEVELS):
        inside = bracket_around(code, start)
        begin = statement_begin(code, start)
        if _is_streamed(code, begin, start):
            return True
        if inside is None or code[inside[0]] == "[" or (code[inside[0]] == "{" and ";" in code[slice(*inside)]):
            return False
        called = re.compile(r"(\w+)\s*(?:<[\w\s:*,]*>\s*)?\Z").search(code, max(0, inside[0] - 80), inside[0])
        if called is not None and called[1] not in ("return", "throw", "and", "or", "not"):
            if prints(called[1]) or _LOGGER.search(code, max(0, inside[0] - 80), inside[0]):
                return True
            if _CHECKING.fullmatch(called[1]):
                return "," in depth_zero(code[inside[0] + 1 : start])
            if not _HANDING_ON.fullmatch(called[1]):
                return False
        start = inside[0]
    return False


def _is_streamed(code: str, begin: int, start: int) -> bool:
    """Return whether `code[start]` is handed to a stream that people read, in brackets that open at `begin`."""
    before = depth_zero(code[begin:start])
    begin += max(before.rfind(mark) for mark in ";{},?") + 1
    before = depth_zero(code[begin:start])
    operands = before.split("<<")
    if len(operands) < 2 or re.search(r"[=!<>]=|&&|\|\|", operands[-1]):
        return False
    first = _without_controls(code[begin : begin + len(operands[0])])
    if _STREAM.match(first):
        return True
    name = re.search(r"(\w+)\s*\Z", first)
    if name is None or re.search(rf"\w*stringstream\s*&?\s*\b{name[1]}\b", code):
        return False
    if re.search(rf"\b\w*(?:ostream|ofstream|fstream)\s*&?\s*\b{name[1]}\b", code):
        return True
    # A literal, which is blank here, makes it a stream.
    return any(not operand.strip() for operand in operands[1:-1]) or "endl" in code[start : code.find(";", start) + 1]


def _without_controls(statement: str) -> str:
    """Return the statement without `if (...)`, `else`, labels and the name of a macro before it."""
    statement = re.sub(r"\A\s*#[ \t]*define[ \t]+\w+(?:\([^()]*\))?", "", statement)
    while control := re.match(r"\s*(?:(?:if|for|while)\s*(\()|(?:else|do|return)\b|\w+\s*:(?!:))", statement):
        end = control.end() if control[1] is None else closing(statement, control.start(1)) + 1
        statement = statement[end:]
    return statement.strip()
