"""What the front end promises the optimiser of values: attributes, metadata and flags of instructions."""

from __future__ import annotations

import re

from .metadata import remove_attachments
from .text import LOCAL

_OF_POINTERS = re.compile(r" (?:nonnull|dereferenceable(?:_or_null)?\(\d+\)|nofpclass\([^()]*\))(?=[ ,)])")
_LINE_WITH_PARAMETERS = re.compile(
    r"^(?:define |declare |  [^\n]*?\b(?:call|invoke) )[^\n]*? (?:nonnull|dereferenceable|nofpclass)[^\n]*$", re.M
)
_LIFETIME_END = re.compile(r"^  call void @llvm\.lifetime\.end\.[^\n]*\n", re.M)
_FLAGS = r"(?:(?:fast|reassoc|nnan|ninf|nsz|arcp|contract|afn) )+"
_WITH_FLAGS = re.compile(
    rf"^(  {LOCAL} = (?:(?:tail|musttail|notail) )?(?:f\w+|call|invoke|select|phi) ){_FLAGS}", re.M
)
_OF_FUNCTIONS = re.compile(
    r' "(?:no-(?:infs|nans|signed-zeros)-fp-math|(?:unsafe|approx-func)-fp-math|denormal-fp-math(?:-f32)?'
    r'|reciprocal-estimates)"="[^"]*"'
)


def remove_promises_of_values(ir: str) -> str:
    """Return the module without promises that a value is set, lies in a range, is no null pointer or can be read."""
    ir = remove_attachments(ir, "noundef", "range", "nonnull", "align", "dereferenceable", "dereferenceable_or_null")
    ir = _LINE_WITH_PARAMETERS.sub(lambda line: _OF_POINTERS.sub("", line[0]), ir)
    # an unsigned offset might go backwards: clang 20 and newer
    return ir.replace(" = getelementptr inbounds nuw ", " = getelementptr inbounds ")


def remove_ends_of_lifetimes(ir: str) -> str:
    """Return the module with variables that keep their values after their scope."""
    return _LIFETIME_END.sub("", ir)


def remove_fast_math(ir: str) -> str:
    """Return the module without permissions to compute anything but what the source says."""
    return _OF_FUNCTIONS.sub("", _WITH_FLAGS.sub(r"\1", ir))
