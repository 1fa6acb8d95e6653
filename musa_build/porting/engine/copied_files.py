"""Find files that porting copies unchanged although they name CUDA, or a file that has another name in the port.

Build files and sources in other languages are read line by line, without comments. Of scripts, lists and settings only
the names of files matter here: `musa-converter` reports the rest. Python that calls libraries by ctypes or cffi has
their names too. Texts for people are not read.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Optional

from .edits import Finding, Severity
from .named_strings import library_name, renamed

Lookup = Callable[[str], Optional[str]]


class Names(NamedTuple):
    """The names that porting knows: `lookup` and `header` give the new names of identifiers and headers.

    `files` maps the names of files of the tree to their names in the port, where these differ.
    """

    lookup: Lookup
    header: Lookup
    files: Mapping[str, str]


class _Form(NamedTuple):
    """A form of text: the start of its comments, and the function that returns a line's mentions of CUDA."""

    comment: str
    says: Callable[[str, Names], Optional[str]]
    quotes: bool = False  # whether only its strings matter


_SHOWN = re.compile(r"\s*@?(?:message\s*\(|echo\b|printf\b|print\s*\(|\$\((?:info|warning|error)\b)")
_FILE = re.compile(r"[\w./@${}*?%\\-]*\.(?:cuh|cu)\b(?![\w.])", re.IGNORECASE)
_PATTERN = re.compile(r"\\?\..*|.*[*?%${}@\\]")
_OF_BUILDS = re.compile(
    r"(?<![\w.-])(?:CUDA(?:Toolkit)?(?:_\w+|::\w+)?|CMAKE_CUDA_\w+|TORCH_CUDA_ARCH_LIST|cuda_\w+(?=\s*\()|nvcc\w*|NVCC\w*"
    r"|-?-?gencode|torch_cuda|c10_cuda|cudadevrt|cudart\w*|cublas\w*|cufft\w*|curand|cusolver|cusparse|cudnn)(?![\w-])"
    r"|(?<=['\"])(?:unstable-)?cuda(?=['\"])|/usr/local/cuda\b|(?<![\w.])(?:sm|compute)_\d\d"
    r"|(?<![\w-])-l(?:cu\w+|nvrtc|nccl)\b|@(?:local_config_cuda|rules_cuda)\b"
)
_NAME = re.compile(r"[A-Za-z_]\w*")
_HEADER = re.compile(r"[<\"']([\w./]+\.(?:h|hpp|cuh))[>\"']")
_TEXT = re.compile(r"[\"']([^\"'\s]+)[\"']")
_STRING = re.compile(r"(?<!['\"])(['\"])(?!\1)((?:(?!\1).)+)\1")
_BARE_LIBRARY = re.compile("cudart|nvrtc|cublas|cufft|curand|cusparse|cusolver")
_MAY_NAME = re.compile(rb"(?i)cu|nccl|nvcc|nvrtc|sm_")
_NVIDIA = frozenset({"ptx", "cubin", "fatbin", "sass", "cuf"})
_MESSAGE = "porting copies this file, and {}"


def findings_in_copied(content: bytes, path: str, names: Names) -> tuple[Finding, ...]:
    """Return the findings about the file at `path`, which is copied: whether it names CUDA or a renamed file."""
    found = _in_lines(content, path, names)
    if path.endswith(".py") and (b"ctypes" in content or b"cffi" in content) and _CALLS_LIBRARIES.search(content):
        found += _in_python(content, path, names.lookup)
    return found


def _in_lines(content: bytes, path: str, names: Names) -> tuple[Finding, ...]:
    """Return a finding at the first line that names CUDA or a renamed file."""
    name = path.rpartition("/")[2]
    if name.rpartition(".")[2].lower() in _NVIDIA:
        message = _MESSAGE.format("it is code for NVIDIA's cards alone: MUSA needs another source of it")
        return (Finding("copied-file", Severity.WARNING, path, 0, message),)
    form = _form_of(name)
    if form is None or _MAY_NAME.search(content) is None or b"\0" in content:
        return ()
    found = list(_lines(content.decode("latin-1"), form, names))
    if not found:
        return ()
    line, said = found[0]
    more = f" ({len(found)} such lines)" if len(found) > 1 else ""
    return (Finding("copied-file", Severity.WARNING, path, line, _MESSAGE.format(said) + more),)


def _lines(text: str, form: _Form, names: Names) -> Iterator[tuple[int, str]]:
    """Yield the numbers of the lines that name CUDA or a renamed file, and a word about each."""
    comment = re.compile(rf"(?:^|(?<=[\s;,()]))(?:{form.comment}).*")
    for number, line in enumerate(text.split("\n"), 1):
        code = comment.sub("", line)
        if form.quotes:
            code = " ".join(text[2] for text in _STRING.finditer(code))
        if code.strip() and not _SHOWN.match(code):
            said = _renamed_file(code, names.files) or form.says(code, names)
            if said is not None:
                yield number, said


def _renamed_file(line: str, files: Mapping[str, str]) -> Optional[str]:
    """Return a word about a file that the port renames, or about a pattern of such files, if the line names one."""
    for file in _FILE.finditer(line) if files else ():
        name = file[0].rpartition("/")[2]
        if name in files:
            return f"it names {name}, which is {files[name]} in the port"
        if _PATTERN.match(name):
            return f"it chooses files by {file[0]}, and they have other names in the port"
    return None


def _of_list(line: str, names: Names) -> Optional[str]:
    return None


def _of_build(line: str, names: Names) -> Optional[str]:
    named = _OF_BUILDS.search(line)
    return None if named is None else f"it asks for CUDA: {named[0]}"


def _of_source(line: str, names: Names) -> Optional[str]:
    for included in _HEADER.finditer(line):
        new = names.header(included[1])
        if new is not None:
            return f"it names {included[1]}, which is {new} on MUSA"
    for word in _NAME.findall(line):
        new = names.lookup(word)
        if new is not None:
            return f"it names {word}, which is {new} in ported code"
    for text in _TEXT.findall(line):
        if library_name(text) is not None or _BARE_LIBRARY.fullmatch(text):
            return f"it names {text}, which is a library of CUDA"
    return None


_HASH, _SLASHES, _NO_COMMENT = r"#", r"//", r"(?!)"
_FORMS: Mapping[str, _Form] = {
    **dict.fromkeys(("cmake", "mk", "mak", "am", "m4", "ac", "bazel", "bzl", "gn", "gni"), _Form(_HASH, _of_build)),
    **dict.fromkeys(("pro", "gyp", "gypi", "ninja"), _Form(_HASH, _of_build)),
    **dict.fromkeys(("vcxproj", "props", "targets"), _Form(_NO_COMMENT, _of_build)),
    **dict.fromkeys(("pyx", "pxd", "pxi", "jl", "rb", "pl"), _Form(_HASH, _of_source)),
    **dict.fromkeys(("rs", "go", "zig", "swift", "m", "java", "kt", "cs", "i", "swg"), _Form(_SLASHES, _of_source)),
    **dict.fromkeys(("f", "for", "f90", "f95", "f03", "f08"), _Form("!", _of_source)),
    **dict.fromkeys(("jinja", "jinja2", "j2", "tmpl", "tpl", "template", "mako", "in"), _Form(_SLASHES, _of_source)),
    "lua": _Form("--", _of_source),
    **dict.fromkeys(("py", "pyi"), _Form(_HASH, _of_list, quotes=True)),
    **dict.fromkeys(("toml", "yaml", "yml", "cfg", "sh", "bash", "zsh", "ps1"), _Form(_HASH, _of_list)),
    **dict.fromkeys(("json", "bat", "filters"), _Form(_NO_COMMENT, _of_list)),
}
_BUILD_NAME = re.compile(
    r"CMakeLists\.txt|meson(?:_options)?\.(?:build|txt|options)|(?:GNU)?[Mm]akefile(?:\..+)?|BUILD|WORKSPACE|SCons\w+"
    r"|wscript|configure(?:\.in)?|\w[\w.-]*\.(?:cmake|pc|mk)\.in"
)
_LIST_NAME = re.compile(r"MANIFEST\.in|(?:Dockerfile|Containerfile)(?:\..+)?")


def _form_of(name: str) -> Optional[_Form]:
    """Return the form of a file of this name; None for files that are not read."""
    if _BUILD_NAME.fullmatch(name):
        return _FORMS["cmake"]
    return _FORMS["sh"] if _LIST_NAME.fullmatch(name) else _FORMS.get(name.rpartition(".")[2].lower())


_CALLS_LIBRARIES = re.compile(rb"\b(?:import|from)[ \t]+(?:[\w, \t]+[, \t])?(?:ctypes|cffi)\b")
_BARE = re.compile(r"(?:cudart|nvrtc|nvcuda|cublas|cublasLt|cufft|curand|cusolver|cusparse|nccl)")
_LITERAL = re.compile(r"""[rRbBuU]*(?P<quote>'|")(?P<content>[^'"\\\n]*)(?P=quote)""")


def _in_python(content: bytes, path: str, lookup: Lookup) -> tuple[Finding, ...]:
    """Return one finding for each line of Python that gives a library a name of CUDA."""
    found: dict[int, Finding] = {}
    for line, message in _python_names(content, lookup):
        found.setdefault(line, Finding("name-in-string", Severity.WARNING, path, line, message))
    return tuple(found.values())


def _python_names(content: bytes, lookup: Lookup) -> Iterator[tuple[int, str]]:
    """Yield the lines and a word about each name. A text that is no Python is read up to its first error."""
    import tokenize  # few trees have such files

    before = ""
    try:
        for token in tokenize.tokenize(io.BytesIO(content).readline):
            if token.type == tokenize.NAME and before == ".":
                new = lookup(token.string)
                if new is not None:
                    yield token.start[0], f"{token.string} is called here by its name: in ported code it is {new}"
            elif token.type == tokenize.STRING:
                yield from ((token.start[0], message) for message in _of_literal(token.string, lookup))
            if token.type not in (tokenize.NL, tokenize.COMMENT):
                before = token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _of_literal(literal: str, lookup: Lookup) -> Iterator[str]:
    match = _LITERAL.fullmatch(literal)
    text = "" if match is None else match["content"]
    library = "" if _BARE.fullmatch(text) else library_name(text)
    if library is not None:
        yield f'"{text}" is a library of CUDA, which MUSA does not have{f": write {library}" if library else ""}'
    elif text and (new := renamed(text, lookup)) is not None:
        yield f'"{text}" is a name of CUDA: in ported code it is {new}'
