"""String literals that are nothing but a name of CUDA: `dlsym(library, "cudaMalloc")`, `dlopen("libcudart.so")`.

Porting renames code. A literal keeps its text, so a name that is looked up by its text at run time is no longer the
name that the code has. A literal is harmless where it is a name for Python (`m.def("cudaStep", ...)`) or is printed.
A sentence with such a name in it is no name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Optional

from .brackets import Range, bracket_around
from .library_names import COUNTERPARTS
from .printed import LABELLED, is_printed
from .read_strings import INCLUDED, literals, with_escapes

if TYPE_CHECKING:
    from .identifiers import IdentifierIndex
    from .read_strings import Literal
    from .scanner import Layout

Lookup = Callable[[str], Optional[str]]

# With the driver's name on Windows. NVML's functions are not ported, so its library stays, too.
_LIBRARIES = {**COUNTERPARTS, "nvcuda": "musa", "nvidia-ml": ""}
# The numbers in the file names of MUSA's libraries (docs/known.md).
_VERSIONS = {"musart": "5", "musa": "1", "mublas": "1", "mccl": "2"}
_NAMES = "|".join(sorted(map(re.escape, _LIBRARIES), key=len, reverse=True)) + r"|npp[a-z]+"
_LIBRARY = re.compile(
    rf"(?P<folder>(?:[^\s\"]*[/\\])?)(?:-l|(?P<prefix>lib)?)(?P<name>{_NAMES}|cudnn_\w+)(?P<static>_static)?"
    r"(?P<bits>\d\d)?(?P<version>[\w.%{}*-]*)"
)
_LONGEST = 5000  # characters of names
_FILE = re.compile(r".*\.(?:so|dll|dylib|lib|a)\b.*", re.DOTALL)
# A call or a variable that loads a library by its bare name: QLibrary library("cudart").
_LOADING = re.compile(
    r"(?i)\b\w*(?:library|libname|dlopen|dll|load_?lib|lib_?load|sharedobject)\w*(?:\s+\w+)?\s*[({]\s*\Z"
)
_NAME_LIST = re.compile(r"[A-Za-z_]\w*(?:[\s,;:|]+[A-Za-z_]\w*)*[\s,;]*")
# A name by which NVRTC or a loader finds a function: its namespace, its template's arguments, its library's version.
_EXPRESSION = re.compile(r"[&\s]*(?:\w*\s*::\s*)*([A-Za-z_]\w*)\s*(?:<[\w\s:,<>*&]*>|@[\w.@]+|\0)?")
_MANGLED = re.compile(r"(\d+)(?=[A-Za-z_])")
_FOR_PYTHON = re.compile(
    r"(?:(?:\.|->)\s*(?:def(?:_\w+)?|impl\w*|value|attr|property|add_\w+)|\b(?:py(?:bind11)?\s*::\s*)?(?:arg|class_\s*<[^;]*>))"
    r"\s*\(\s*(?:\w+\s*,\s*)?\Z"
)
# Literals for people: a function's documentation, a text of the compiler's.
_FOR_PEOPLE = re.compile(r"(?:(?:\.|->)\s*def(?:_\w+)?|\bstatic_assert|\bdeprecated|\bPyDoc_STR(?:VAR)?|\bdoc)\s*\Z")
_METHOD_TABLE = re.compile(r"[^;{}]*\bMETH_\w+")


class NamedString(NamedTuple):
    """A literal with the text `content` at `text[start:end]`, and what the port would write there, if that is known."""

    start: int
    end: int
    content: str
    new: str
    is_library: bool

    @property
    def message(self) -> str:
        """The finding about the literal, if it is left."""
        if not self.is_library:
            old, new = with_escapes(self.content), with_escapes(self.new)
            return (
                f'"{old}" was left as it is, but porting renames this in code: a look-up by this name finds '
                f'nothing on MUSA. --strings ports literals, or write "{new}"'
            )
        if self.content.endswith("."):
            others = library_name(f"{self.content}0")
            hint = "its version is put together at run time, and MUSA's libraries have other numbers"
            return f'"{self.content}" begins the name of a library of CUDA: {hint}' + (
                f': "{others}"' if others else ""
            )
        hint = f'--strings ports it, or write "{self.new}"' if self.new else "write the name of MUSA's counterpart"
        return f'"{self.content}" is a library of CUDA, which MUSA does not have: {hint}'


def named_strings(layout: Layout, found: Iterable[Literal], lookup: Lookup) -> Iterator[NamedString]:
    """Yield the literals of `found` that are a name of CUDA or of one of its libraries. `lookup` gives new names."""
    for quote, begin, stop, content in found:
        if len(content) > _LONGEST:
            continue
        library = _LIBRARIES.get(content)
        if library is None:
            library = library_name(content)
        elif not _LOADING.search(layout.text, max(0, quote - 80), quote):
            continue
        new = library if library is not None else renamed(content, lookup)
        if new is not None:
            yield NamedString(begin, stop, content, new, library is not None)


def renamed(content: str, lookup: Lookup) -> Optional[str]:
    """Return a text of nothing but names of CUDA with the new names; None for any other text."""
    if content.startswith("_Z"):
        return _demangled(content, lookup)
    expression = _EXPRESSION.fullmatch(content)
    if expression is not None:
        new_name = lookup(expression[1])
        return None if new_name is None else content[: expression.start(1)] + new_name + content[expression.end(1) :]
    if _NAME_LIST.fullmatch(content) is None:
        return None
    new = {word: lookup(word) for word in re.findall(r"\w+", content)}
    if not all(new.values()):
        return None
    return re.sub(r"\w+", lambda word: new[word[0]] or word[0], content)


def _demangled(content: str, lookup: Lookup) -> Optional[str]:
    """Return a mangled name in which a part is renamed; None if none is."""
    for length in _MANGLED.finditer(content):
        part = content[length.end() : length.end() + int(length[1])]
        new = lookup(part) if len(part) == int(length[1]) else None
        if new is not None:
            return f"{content[: length.start()]}{len(new)}{new}{content[length.end() + len(part) :]}"
    return None


def library_name(content: str) -> Optional[str]:
    """Return the name of the counterpart of a library of CUDA, empty if none is known; None for any other text."""
    parts = re.split("[:;, ]", content) if len(content) < 200 else []
    if len(parts) > 1 and all(library_name(part) is not None for part in parts):
        return ""
    match = _LIBRARY.fullmatch(content) if len(content) < 200 else None
    if match is None or not (match["prefix"] or match["bits"] or content.startswith("-l") or _FILE.fullmatch(content)):
        return None
    if match["prefix"] is None and not content.startswith("-l") and match["name"] == "cuda" and match["bits"] is None:
        return None  # cuda.lib, cuda.a are as well a package's own
    if match["version"] and match["version"][0].isalpha():
        return None  # libcudaapp.so
    if content.endswith("."):
        return ""  # "libcudart.so." + version: MUSA's libraries have other numbers
    counterpart = _LIBRARIES.get(match["name"], "")
    if not counterpart or match["folder"] or match["static"]:
        return ""
    if content.startswith("-l"):
        return f"-l{counterpart}"
    if ".so" in match["version"]:
        number = _VERSIONS.get(counterpart) if ".so." in match["version"] else None
        return f"lib{counterpart}.so" + (f".{number}" if number is not None else "")
    return f"lib{counterpart}" if match["prefix"] and not match["version"] else ""


_ATTRIBUTE = re.compile(r"\battr\s*\(\s*\Z")
# Also a format or a pattern of them: "cuda:%d", "cuda:{}", "cuda(:\\d+)?".
_DEVICE = re.compile(r"\^?cuda(?::(?:\d*|[%{(\[\\.?*$<].*)|[(\[\\$].*)?|CUDA|nccl|NCCL")


def device_strings(layout: Layout, found: Iterable[Literal]) -> Iterator[tuple[int, str]]:
    """Yield the offsets and texts of literals that are a device's name for PyTorch: "cuda", "cuda:" and "cuda:0".

    Printed literals and names for Python are left out.
    """
    for _, start, end, content in found:
        is_device = _DEVICE.fullmatch(content) is not None
        if is_device and not is_harmless(layout, NamedString(start, end, content, "", False)):
            yield start, content


def is_harmless(layout: Layout, literal: NamedString) -> bool:
    """Return whether the literal is a name for Python, is printed, or is a label beside the name's own call."""
    code = layout.code_without_literals
    quote = layout.text.rfind('"', 0, literal.start)
    inside = bracket_around(code, quote)
    before = code[max(0, quote - 120) : quote]
    if _ATTRIBUTE.search(before) and literal.content in ("cuda", "is_cuda"):
        return False  # torch.attr("cuda")
    is_default = before.rstrip().endswith("=")  # py::arg("device") = "cuda"
    if inside is not None and not is_default and _FOR_PEOPLE.search(code, max(0, inside[0] - 40), inside[0]):
        return True
    if not literal.is_library:
        if _FOR_PYTHON.search(before) or _METHOD_TABLE.match(code, literal.end + 1):
            return True
        if _is_label(code, quote, literal, inside):
            return True
    return is_printed(code, quote)


_LABEL = re.compile(r"(?i)\b\w*(?:label|title|caption|legend)\w*\s*(?:=\s*|[({]\s*)\Z")
_CALLED = re.compile(rf"\b(?:{LABELLED.pattern})\s*\Z")


def _is_label(code: str, quote: int, literal: NamedString, inside: Optional[Range]) -> bool:
    """Return whether the literal tells people which function is called: `check(cudaFree(p), "cudaFree")`."""
    name = re.escape(literal.content) if literal.content.isidentifier() else "(?!)"
    if re.search(rf"\bcase\s+{name}\s*:\s*(?:return\s*)?\Z", code[max(0, quote - 200) : quote]):
        return True
    if _LABEL.search(code, max(0, quote - 80), quote):
        return True
    if inside is None or code[inside[0]] != "(":
        return False
    is_called = re.search(rf"\b{name}\s*\(", code[slice(*inside)]) is not None
    return is_called or _CALLED.search(code, max(0, inside[0] - 80), inside[0]) is not None


def literal_edits(
    layout: Layout, identifiers: frozenset[str], index: IdentifierIndex, lookup: Lookup, header: Lookup
) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, replacement) for names in literals that no other rule sees.

    They are libraries with a known counterpart, mangled names, names in several literals on one line, and the headers
    that a text includes. `header` gives the new name of a header.
    """
    found = [*literals(layout, identifiers, index)]
    for _, start, end, _ in found:
        for included in INCLUDED.finditer(layout.text, start, end):
            new = header(included[1])
            if new is not None:
                yield *included.span(1), new
    for literal in named_strings(layout, found, lookup):
        text = layout.text[literal.start : literal.end]
        is_seen = not literal.is_library and not text.startswith("_Z") and text == literal.content
        if literal.new and not is_seen and "\n" not in text:
            yield literal.start, literal.end, with_escapes(literal.new)
