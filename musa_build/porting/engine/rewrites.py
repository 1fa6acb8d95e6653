"""Rewrites: changes beyond renaming. Guards are conditions, idioms are all other code.

Guards are conditions on `__CUDA_ARCH__` and on CUDA's version macros: numbers that mean something else on MUSA.

Renaming `__CUDA_ARCH__ >= 530` to `__MUSA_ARCH__ >= 530` would silently switch the code off, because MUSA counts 100,
210, 220, 310. So a comparison is parsed and its threshold translated as a number. If that is not possible, the guard
is left alone and reported, never renamed blindly.

CUDA's version macros do not exist on MUSA, and an undefined macro is 0 in #if: `CUDA_VERSION < 10020` would be true.
They get the values of an emulated CUDA version; `defined(CUDA_VERSION)` becomes a test for MUSA's counterpart.

`__GNUC__` is 4 for every clang, also for mcc, whatever it supports. Conditions that exclude so old a GCC must not
exclude a clang.

nvcc drops the bodies of kernels from its host pass. mcc is a clang and reads them in both passes. So a device function
in `#ifdef __CUDA_ARCH__ ... #endif`, which a kernel calls, has to be defined in both: `__MUSACC__` replaces
`__CUDA_ARCH__`.

Every `text` here is code alone: `Layout.code`.

Idioms are definitions, launches, pasted names, `is_cuda()`, older C++. Each looks at the code around a name, most in
modules of their own. This module joins them for `translate`. Most trees have few idioms, so most of these modules are
loaded when the first file needs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Optional

from ...errors import PortingError
from .capability import CAPABILITY_IDENTIFIERS
from .edits import NAME_PATTERN, OLDER_CXX, SELF_DEFINE, Edit, Remark, Severity, occurrences
from .older_cxx import CXX20_IDENTIFIERS, OLDER_CXX_IDENTIFIERS, rewrites
from .string_words import OF_SAME_VALUES, STRING_IDENTIFIERS

if TYPE_CHECKING:
    from .bridges import Bridge
    from .identifiers import IdentifierIndex
    from .pasting import Pasting
    from .rules import RuleSet
    from .scanner import Layout

# Not verified on MUSA hardware. (a, b): MUSA architectures from b on have the features of CUDA architectures up to a.
# 80 -> 220 (bf16, tensor cores) and 90 -> 310 are torchada's thresholds, 89 -> 310 because both mean fp8; that every
# MUSA GPU does what sm_75 does (half arithmetic, shuffles, double atomicAdd) is this project's assumption. Thresholds
# above 900 ask for what no MUSA GPU has, and keep a number that none reaches.
_MUSA_ARCH_UP_TO = ((750, 100), (880, 220), (900, 310))

ARCH = "__CUDA_ARCH__"
# A version macro -> the macro of MUSA that exists where CUDA's would.
_MUSA_COUNTERPART = {
    "CUDA_VERSION": "MUSA_VERSION",
    "CUDART_VERSION": "MUSART_VERSION",
    "__CUDACC_VER_MAJOR__": "__MUSACC_VER_MAJOR__",
    "__CUDACC_VER_MINOR__": "__MUSACC_VER_MINOR__",
    "__CUDACC_VER_BUILD__": "__MUSACC_VER_BUILD__",
}
VERSION_MACROS = frozenset(_MUSA_COUNTERPART)
GCC = "__GNUC__"
GUARD_IDENTIFIERS = frozenset({ARCH, GCC, *VERSION_MACROS})


class Guard(NamedTuple):
    """A use of one of `GUARD_IDENTIFIERS` at `text[start:end]`; `replacement` is None where it cannot be translated."""

    macro: str
    start: int
    end: int
    replacement: Optional[str]


def musa_threshold(cuda_arch: int) -> int:
    """Return the `__MUSA_ARCH__` from which a MUSA GPU has the features of `cuda_arch` (a number such as 530)."""
    return next((musa for limit, musa in _MUSA_ARCH_UP_TO if cuda_arch <= limit), cuda_arch)


def version_values(emulated: str) -> Mapping[str, int]:
    """Return the values of CUDA's version macros for a version such as `12.4`.

    Raises:
        PortingError: `emulated` is not a version.
    """
    match = re.fullmatch(r"(\d{1,2})\.(\d)", emulated)
    if match is None:
        raise PortingError("the CUDA version to emulate cannot be read", found=emulated, wanted="something like 12.4")
    major, minor = int(match[1]), int(match[2])
    number = major * 1000 + minor * 10
    values = {"CUDA_VERSION": number, "CUDART_VERSION": number}
    return {**values, "__CUDACC_VER_MAJOR__": major, "__CUDACC_VER_MINOR__": minor, "__CUDACC_VER_BUILD__": 0}


def arch_guards(layout: Layout) -> Iterator[Guard]:
    """Yield every use of `__CUDA_ARCH__` in the code of `layout`, with its translation if there is one.

    Groups that are for the device pass alone become visible to the host pass, which reads them as the newest
    architecture would.
    """
    text, device_only = layout.code, [*_device_only_groups(layout)]
    conditions = {offset for offset, _, _ in device_only}
    for start in occurrences(text, ARCH):
        guard = _arch_guard(text, start, start + len(ARCH))
        if start in conditions:
            guard = guard._replace(replacement="__MUSACC__")
        elif guard.replacement is not None and any(begin < start < end for _, begin, end in device_only):
            guard = guard._replace(replacement=_in_both_passes(guard.replacement))
        yield guard


def _in_both_passes(condition: str) -> str:
    if "<" in condition:
        return f"(defined(__MUSA_ARCH__) && {condition})"
    return f"(!defined(__MUSA_ARCH__) || {condition})" if ">" in condition else condition


_DIRECTIVE = re.compile(
    r"^[ \t]*#[ \t]*(?P<name>if|ifdef|ifndef|elif|else|endif|define|undef|include)\b(?P<rest>.*)$", re.MULTILINE
)
_BARE = {
    "ifdef": re.compile(r"[ \t]+(__CUDA_ARCH__)[ \t\r]*\Z"),
    "if": re.compile(
        r"[ \t]*\(?[ \t]*defined[ \t]*\(?[ \t]*(__CUDA_ARCH__)[ \t]*\)?"
        r"(?:[ \t]*&&[ \t]*\(?[ \t]*__CUDA_ARCH__[ \t]*>=?[ \t]*\d+[ \t]*\)?)?[ \t]*\)?[ \t\r]*\Z"
    ),
}
# A definition, from __device__ to its brace; a lambda has no name before its parameters.
_FUNCTION = re.compile(r"__device__\s[^;{}()\]]*\w\s*\((?:[^;{}()]|\([^;{}()]*\))*\)\s*(?:const\s*|noexcept\s*)*\{")


def _device_only_groups(layout: Layout) -> Iterator[tuple[int, int, int]]:
    """Yield (offset of `__CUDA_ARCH__`, start and end of the guarded code) of groups that define device functions.

    The start is that of the condition, which may compare the architecture as well.
    """
    text = layout.code
    hides_from_device = _FOR_THE_HOST.search(text) is not None
    opened: list[tuple[int, int]] = []  # (offset, or -1 for a group of another kind; start of its content)
    for directive in _DIRECTIVE.finditer(text):
        if not layout.begins_in_code(directive.start("name") - 1):
            continue
        name = directive["name"]
        if name in ("if", "ifdef", "ifndef"):
            bare = _BARE[name].match(directive["rest"]) if name in _BARE else None
            offset = directive.start("rest") + bare.start(1) if bare else -1
            opened.append((offset, offset if bare else directive.end()))
        elif name == "endif" and opened:
            offset, begin = opened.pop()
            if offset >= 0 and _is_device_only(text[begin : directive.start()], hides_from_device):
                yield offset, begin, directive.start()
        elif name in ("else", "elif"):
            opened[-1:] = [(-1, directive.end())]
        else:  # code that the host pass would see too if the group were opened to it
            opened = [(-1, begin) for _, begin in opened]


# Another group of the same text may have the host's own version of a function for both.
_FOR_THE_HOST = re.compile(r"!\s*defined[ \t]*\(?[ \t]*__CUDA_ARCH__|#[ \t]*ifndef[ \t]+__CUDA_ARCH__")


def _is_device_only(content: str, hides_from_device: bool) -> bool:
    """Return whether a function of the device alone is among the definitions, and none that the host has elsewhere."""
    if "HOST_DEVICE" in content or (hides_from_device and "__host__" in content):
        return False
    return any(_begins_without_host(content, function.start()) for function in _FUNCTION.finditer(content))


def _begins_without_host(content: str, device: int) -> bool:
    start = max(content.rfind(mark, 0, device) for mark in ";{}")
    return "__host__" not in content[start + 1 : device]


_OLD_GCC = re.compile(r"__GNUC__[ \t]*(?P<operator><=?|==)[ \t]*(?P<number>\d+)\b(?![ \t]*[*+/.%-])")
_CLANGS_GNUC = 4


def gcc_guards(text: str) -> Iterator[Guard]:
    """Yield the comparisons in #if that match a GCC so old that every clang passes for it."""
    for start in occurrences(text, GCC):
        match = _OLD_GCC.match(text, start)
        if match is not None:
            end = text.find("\n", start)
            line = text[text.rfind("\n", 0, start) + 1 : len(text) if end < 0 else end]
            true = {"<": int.__gt__, "<=": int.__ge__, "==": int.__eq__}[match["operator"]]
            if _CONDITION.match(line) and "__clang__" not in line and true(int(match["number"]), _CLANGS_GNUC):
                yield Guard(GCC, start, match.end(), f"({match[0]} && !defined(__clang__))")


_CONDITION = re.compile(r"[ \t]*#[ \t]*(?:el)?if\b")


def version_guards(text: str, values: Mapping[str, int]) -> Iterator[Guard]:
    """Yield every use of a version macro in `text`; `values` is empty when no CUDA version is emulated."""
    for macro, counterpart in _MUSA_COUNTERPART.items():
        for start in occurrences(text, macro):
            end = start + len(macro)
            before = text[text.rfind("\n", 0, start) + 1 : start]
            if _ASKED_WHETHER_DEFINED.search(before) is not None:
                yield Guard(macro, start, end, counterpart)
            elif _DEFINED_HERE.search(before) is not None or macro not in values:
                yield Guard(macro, start, end, None)
            else:
                yield Guard(macro, start, end, str(values[macro]))


_ASKED_WHETHER_DEFINED = re.compile(r"(?:\bdefined[ \t]*\(?|#[ \t]*ifn?def)[ \t]*\Z")
_DEFINED_HERE = re.compile(r"#[ \t]*(?:define|undef)[ \t]+\Z")

# One comparison with the macro on one side and a constant of numbers on the other, and its surroundings.
_NUMBER = r"\d+[uUlL]*"
_SUM = rf"{_NUMBER}(?:[ \t]*[*+][ \t]*{_NUMBER})*"
_CONSTANT = rf"(?:\([ \t]*{_SUM}[ \t]*\)|{_SUM})"
_OPERATOR = r"[<>]=?|==|!="
_RIGHT = re.compile(
    rf"[ \t]*(?P<scale>/[ \t]*{_NUMBER})?[ \t]*(?P<operator>{_OPERATOR})(?P<constant>[ \t]*{_CONSTANT})"
)
_LEFT = rf"(?<![\w.])(?P<constant>{_CONSTANT})[ \t]*(?P<operator>{_OPERATOR})[ \t]*\Z"  # rare
_PLAIN = re.compile(rf"{ARCH}([ \t]*{_OPERATOR}[ \t]*)\d+")
_ARITHMETIC_AFTER = re.compile(r"[ \t]*(?:[*%+-]|/(?![/*])|<<|>>|[<>=!]=|[<>](?!<|>)|&(?!&)|\|(?!\|)|\^|\(|\w)")
_ARITHMETIC_BEFORE = re.compile(r"(?:[*/%+~!-]|<<|>>|[<>=!]=|[<>]|(?<!&)&|(?<!\|)\||\^)[ \t]*\Z")
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _arch_guard(text: str, start: int, end: int) -> Guard:
    line_start = text.rfind("\n", 0, start) + 1
    right = _RIGHT.match(text, end)
    before = text[line_start:start].rstrip(" \t")
    left = re.search(_LEFT, before) if before.endswith(("<", ">", "=")) else None
    if right is not None and left is None:
        begin, stop, parts, operator = start, right.end(), right, right["operator"]
    elif left is not None and right is None and not _ARITHMETIC_AFTER.match(text, end):
        begin, stop, parts = line_start + left.start(), end, left
        operator = _MIRRORED.get(left["operator"], left["operator"])
    elif _ARITHMETIC_AFTER.match(text, end) or _is_arithmetic(text, line_start, start, "!"):
        return Guard(ARCH, start, end, None)
    else:
        return Guard(ARCH, start, end, "__MUSA_ARCH__")
    if _is_arithmetic(text, line_start, begin) or _ARITHMETIC_AFTER.match(text, stop):
        return Guard(ARCH, start, end, None)  # part of something larger, which was not understood
    scale = right["scale"] if right is not None and parts is right else None
    return _comparison(text, begin, stop, operator, _value(parts["constant"]), _value(scale[1:]) if scale else 1)


def _is_arithmetic(text: str, line_start: int, offset: int, harmless: str = "") -> bool:
    match = _ARITHMETIC_BEFORE.search(text, line_start, offset)
    return match is not None and match[0].strip() != harmless


def _value(constant: str) -> int:
    """Return the value of a sum of products of whole numbers, such as `(7 * 100)`."""
    terms = re.sub(r"[uUlL() \t]", "", constant).split("+")
    total = 0
    for term in terms:
        product = 1
        for factor in term.split("*"):
            product *= int(factor)
        total += product
    return total


def _comparison(text: str, start: int, end: int, operator: str, number: int, scale: int) -> Guard:
    """Translate `__CUDA_ARCH__ / scale <operator> number` into a condition on `__MUSA_ARCH__`.

    Only "from this architecture on" and "before it" have a meaning on other hardware; equality has none.
    """
    if operator not in _MIRRORED:
        return Guard(ARCH, start, end, None)
    threshold = (number + (operator in (">", "<="))) * scale
    written = _PLAIN.fullmatch(text, start, end)  # keeps the author's blanks where nothing else changes
    new_operator = ">=" if operator in (">=", ">") else "<"
    between = written[1] if written is not None and written[1].strip() == new_operator else f" {new_operator} "
    return Guard(ARCH, start, end, f"__MUSA_ARCH__{between}{musa_threshold(threshold)}")


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
# A macro that is a pragma, an attribute of shared memory, and a launch with blanks in its marks (nvcc_syntax).
_MAY_BE_PRAGMA = r"define[ \t].*#[ \t]*pragma\b"
_MAY_BE_ATTRIBUTE = r"__shared__(?:[\s\\]|/[/*])*(?:alignas\b|\[)"
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
    if "__shared__" in text and re.search(_MAY_BE_ATTRIBUTE, text):
        return True
    if "typename" in text or ("constexpr" in text and ("__device__" in text or "__host__" in text)):
        from .nvcc_syntax import one_sided_constexpr, unmarked_types

        if next(unmarked_types(text), None) is not None or next(one_sided_constexpr(text), None) is not None:
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

        edits += saved_macros(layout, lambda name: "__MUSA_ARCH__" if name == ARCH else rules.new_name(name))
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
