"""The templates that clang 14, which mcc is, takes, and newer clangs refuse."""

from __future__ import annotations

import re

# The errors that newer clangs find in a template before any use of it: a member that its own class lacks, and a unary
# operator on a pointer, an array or a pointer to a member of a type that the template leaves open. clang 14 finds
# them once the template is instantiated, and libraries of its time have such templates, which have no caller.
_FOUND_EARLY = re.compile(
    r"no member named '.*' in '.*'|invalid argument type '.*' to unary expression"
    r"|indirection requires pointer operand|cannot (?:in|de)crement value of type '.*'"
)
_ERROR = re.compile(r"^.*?:\d+:\d+: (?:fatal )?error: (.*)$|^(?:fatal )?error: (.*)$", re.M)


def second_try(said: str) -> list[str]:
    """Return the flags with which clang 14 might take what a front end refused with these words; [] if it would not.

    With -fdelayed-template-parsing, the body of a function template is parsed where it is instantiated, unless its
    return type is deduced.
    """
    errors = [located or other for located, other in _ERROR.findall(said)]
    if not errors or not all(map(_FOUND_EARLY.match, errors)):
        return []
    return ["-fdelayed-template-parsing", "-Wno-delayed-template-parsing-in-cxx20"]
