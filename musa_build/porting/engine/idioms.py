"""Port idioms, which need more than a new name: definitions, launches, pasted names, `is_cuda()`, older C++.

Each idiom looks at the code around a name, most in modules of their own. This module joins them for `translate`. Most
trees have few idioms, so most of these modules are loaded when the first file needs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from .capability import CAPABILITY_IDENTIFIERS
from .edits import NAME_PATTERN, OLDER_CXX, SELF_DEFINE, Edit, Remark, Severity
from .older_cxx import CXX20_IDENTIFIERS, OLDER_CXX_IDENTIFIERS, rewrites
from .string_words import OF_SAME_VALUES, STRING_IDENTIFIERS

if TYPE_CHECKING:
    from .bridges import Bridge
    from .identifiers import IdentifierIndex
    from .pasting import Pasting
    from .rules import RuleSet
    from .scanner import Layout

DISPATCH_KEYS = frozenset(
    f"{kind}CUDA" for kind in ("", "Autograd", "Autocast", "Sparse", "SparseCsr", "Quantized", "NestedTensor")
)
# The macros that register kernels (tables/torch.rules has the rules for their own calls).
_REGISTRATIONS = frozenset(
    {
        *("TORCH_LIBRARY_IMPL", "STABLE_TORCH_LIBRARY_IMPL", "MAKE_TORCH_LIBRARY_IMPL"),
        *("TORCH_LIBRARY_IMPL_EXPAND", "STABLE_TORCH_LIBRARY_IMPL_EXPAND", "REGISTER_DEVICE_IMPL", "REGISTER_OP_IMPL"),
    }
)
KEY_TYPES = frozenset({"DispatchKey", "DeviceType", "Backend"})
# The first are reason enough to look at a file. The others matter only in a file that is looked at for another reason.
IDIOM_IDENTIFIERS = OLDER_CXX_IDENTIFIERS | CAPABILITY_IDENTIFIERS | STRING_IDENTIFIERS
IDIOM_CONTEXT = CXX20_IDENTIFIERS | KEY_TYPES
# Beginnings of names of CUDA that a macro may be given (`cu` is part of too many words to look for).
PASTED_PREFIXES = frozenset(
    {
        *("cuda", "__cuda", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusolverDn", "cusparse", "cudnn"),
        *("nccl", "nvrtc", "nvtx"),
    }
)
# A macro that is a pragma, and a launch with blanks in its marks (nvcc_syntax).
_MAY_BE_PRAGMA = r"define[ \t].*#[ \t]*pragma\b"
_BLANKS = r"(?:[\s\\]|/\*[^*]*\*/|//.*\n)+"
_MAY_OPEN, _MAY_CLOSE = f"<<{_BLANKS}<", f">>{_BLANKS}>"


class Idioms(NamedTuple):
    """The `edits` of a text, the ranges that no other rule may change, and remarks for a person."""

    edits: tuple[Edit, ...] = ()
    kept: tuple[tuple[int, int], ...] = ()
    remarks: tuple[Remark, ...] = ()


def has_idioms_without_names(text: str) -> bool:
    """Return whether a text without a name of CUDA may still have something to port: a look before it is scanned."""
    if "pragma" in text and re.search(_MAY_BE_PRAGMA, text):
        return True
    launches = False
    at = text.find("<<")  # five times as fast as a regular expression
    while at >= 0:
        following = text[at + 2 : at + 3]
        launches = launches or following == "<"
        if (following.isspace() or following in ("/", "\\")) and re.compile(_MAY_OPEN).match(text, at):
            return True
        at = text.find("<<", at + 2)
    return launches and re.search(_MAY_CLOSE, text) is not None


def idioms_of(
    layout: Layout, identifiers: frozenset[str], index: IdentifierIndex, rules: RuleSet, renames: Mapping[str, str]
) -> Idioms:
    """Return the idioms in the text of `layout`. `renames` are the names that a name pattern matches."""
    if not rules.has_defaults:
        return Idioms()
    defined = _bridges(layout, identifiers, index, renames)
    pasted = _pastings(layout, identifiers, index, rules)
    edits = [Edit(at, at, "::", SELF_DEFINE) for bridge in defined for at in bridge.qualified]
    edits += [Edit(each.start, each.end, each.replacement, NAME_PATTERN) for each in pasted if not each.message]
    edits += _others(layout, identifiers, index)
    if "_macro" in layout.text:
        from .nvcc_syntax import saved_macros

        edits += saved_macros(layout, rules.new_name)
    remarks = [
        Remark(bridge.offset, SELF_DEFINE, Severity.WARNING if bridge.is_warning else Severity.NOTE, bridge.message)
        for bridge in defined
    ]
    remarks += [Remark(each.start, "token-pasting", Severity.WARNING, each.message) for each in pasted if each.message]
    return Idioms(tuple(edits), tuple(kept for bridge in defined for kept in bridge.kept), tuple(remarks))


def _bridges(
    layout: Layout, identifiers: frozenset[str], index: IdentifierIndex, renames: Mapping[str, str]
) -> list[Bridge]:
    if not any(renames[name] in identifiers for name in identifiers & renames.keys()):
        return []
    from .bridges import bridges

    return list(bridges(layout, identifiers, index, renames))


def _pastings(layout: Layout, identifiers: frozenset[str], index: IdentifierIndex, rules: RuleSet) -> list[Pasting]:
    given = frozenset(name for name in identifiers & PASTED_PREFIXES if _may_be_given(name, layout, index))
    if re.search(r'"cu"[ \t]*#', layout.text):
        given |= {"cu"}
    if not given and not layout.pastes:
        return []
    from .pasting import pastings

    return list(pastings(layout, given, index, rules.new_name))


def _may_be_given(name: str, layout: Layout, index: IdentifierIndex) -> bool:
    """Return whether a macro may be given `name`, as `name,` or `"name" #`: a quick look, comments included."""
    text = layout.text
    for at in index.offsets(name):
        end = at + len(name)
        following = text[end : end + 40].lstrip('" \t\r\n')
        if following.startswith((",", "#", "/", "\\")) and layout.kind_at(at - (text[end] == '"')) is None:
            return True
    return False


def _others(layout: Layout, identifiers: frozenset[str], index: IdentifierIndex) -> Iterator[Edit]:
    if has_idioms_without_names(layout.text):
        from .nvcc_syntax import nvcc_syntax

        yield from nvcc_syntax(layout)
    keys = identifiers & DISPATCH_KEYS
    of_macros = not identifiers.isdisjoint(_REGISTRATIONS) and "define" in layout.text
    if keys and (of_macros or not identifiers.isdisjoint(KEY_TYPES)):
        from .registrations import keys_of_macros

        yield from (Edit(*key, NAME_PATTERN) for key in keys_of_macros(layout, keys, index))
    if "NCCL_" in layout.text or not identifiers.isdisjoint(OF_SAME_VALUES):
        from .read_strings import variables_of_environment

        yield from (Edit(*name, NAME_PATTERN) for name in variables_of_environment(layout, identifiers, index))
    if "is_cuda" in identifiers:
        from .device_tests import device_tests

        yield from (Edit(*test, NAME_PATTERN) for test in device_tests(layout, index))
    if not identifiers.isdisjoint(OLDER_CXX_IDENTIFIERS):
        yield from (Edit(*rewrite, OLDER_CXX) for rewrite in rewrites(identifiers, index, layout))
