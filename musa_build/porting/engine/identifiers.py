"""The identifiers of a text, found at memory speed, and which of them matter to porting.

The set of a file's identifiers decides whether porting has anything to do: every rule, guard and hazard names
identifiers without which it cannot apply. Most files of a tree hold none of them and are never scanned. One table
look-up per byte and a split cost about a tenth of what a regular expression over identifiers does.

A tree repeats itself: a few thousand different identifiers make up megabytes. Each one is classified once. After that,
the intersection of two sets tells whether a file needs any work.

Numbers count as identifiers here: a hazard may be about `32`.

`tables/cuda-names.txt` has the names of the runtime, the driver and the libraries that are ported by renaming.
`tables/simulator-absent.txt` has those whose counterpart the simulated SDK lacks. tests/porting/absent_in_simulator.py
writes it, with docs/simulator-absent.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from .edits import IN_IDENTIFIER

if TYPE_CHECKING:
    from .rules import RuleSet

_ONLY_IDENTIFIERS = bytes(code if chr(code) in IN_IDENTIFIER else 0x20 for code in range(256))


class IdentifierIndex:
    """The identifiers of one text, also those in comments and literals, and their offsets.

    Nothing is searched twice, however many rules ask. All identifiers that contain "cuda", or "CUDA", are searched at
    once: nearly every identifier that porting is about contains one of the two.
    """

    def __init__(self, content: bytes) -> None:
        self._text = b" %b " % _without_escapes(content).translate(
            _ONLY_IDENTIFIERS
        )  # so every identifier has a blank on both sides
        self._known: dict[str, dict[str, list[int]]] = {}

    @cached_property
    def identifiers(self) -> Sequence[bytes]:
        """Every identifier, once per occurrence."""
        return self._text.split()

    def offsets(self, identifier: str) -> Sequence[int]:
        """Return the offsets of `identifier` in the text, in order."""
        part = "cuda" if "cuda" in identifier else "CUDA" if "CUDA" in identifier else identifier
        known = self._known.get(part)
        if known is None:
            known = self._known[part] = self._containing(part)
        return known.get(identifier, ())

    def _containing(self, part: str) -> dict[str, list[int]]:
        """Return each identifier that contains `part`, with its offsets."""
        text, wanted = self._text, part.encode("latin-1")
        offsets: dict[str, list[int]] = {}
        at = text.find(wanted)
        while at >= 0:
            start, end = text.rfind(b" ", 0, at), text.find(b" ", at)
            # The offset of the blank before it is its offset in the text, which has no blank before its first byte.
            offsets.setdefault(text[start + 1 : end].decode("latin-1"), []).append(start)
            at = text.find(wanted, max(end, at + 1))  # a name that begins with a blank is found there
        return offsets


# In a literal, `\nnvcc` is the word nvcc, and `c\x75da` is cuda. (In `\\n` the second character begins nothing.)
_LETTER = re.compile(rb"\\[abefnrtv\\]")
_NUMBER = rb"\\(?:x0*([0-9A-Fa-f]{2})(?![0-9A-Fa-f])|u00([0-9A-Fa-f]{2})|U000000([0-9A-Fa-f]{2})|([0-7]{3}))"
_NUMBERED_WORD = re.compile(rb"(?<!\w)\w*(?:" + re.sub(rb"\((?!\?)", b"(?:", _NUMBER) + rb"\w*)+")
_NUMBERS = re.compile(_NUMBER)


def _without_escapes(content: bytes) -> bytes:
    """Return the content without escapes: each word ends where its spelling does."""
    if b"\\" not in content:
        return content
    content = _LETTER.sub(b"  ", content)
    return _NUMBERED_WORD.sub(lambda word: _NUMBERS.sub(_character, word[0]).rjust(len(word[0])), content)


def _character(escape: re.Match[bytes]) -> bytes:
    hexadecimal = escape[1] or escape[2] or escape[3]
    return bytes([int(escape[4], 8) & 255 if hexadecimal is None else int(hexadecimal, 16)])


_LIBRARY_PREFIXES = ("cublas", "cufft", "curand", "cusolver", "cusparse", "cudnn", "CUDNN_", "nccl", "nvrtc", "nvtx")
# Names of MUSA: a CUDA tree may define them as aliases.
_MUSA_PREFIXES = ("musa", "MUSA", "mu", "MU", "mccl", "MCCL", "mt", "MT", "__mu", "__MU", "__mt")
# In comments these are ends of file names; as identifiers they are the package's own.
_SUFFIXES = frozenset({"cu", "cuh", "THC"})
_EXCLUSION_MARKS = ("MUSIFY_EXCL_START", "MUSIFY_EXCL_LINE")

# Beginnings of names without a counterpart in torch_musa's mapping files, in torchada's, or in MUSA SDK 5.2's headers.
UNSUPPORTED = (
    *("cuTensorMap", "CUtensorMap", "cuMulticast", "CUmulticast", "__cvta_generic_to_grid_constant"),
    "cudaLaunchAttributeProgrammatic",
    *("cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion"),  # but for calls: tables/sdk.rules
)
CUDNN = re.compile(r"cudnn[A-Z]\w*|CUDNN_\w+")

# Names of PyTorch's and of NVIDIA's libraries that porting leaves, and what to do about them.
LIBRARY_NAMES = (
    (re.compile(r"ProcessGroupNCCL\w*|C10D_NCCL\w*|NCCLComm|NCCLUtils"), "is PyTorch's for NCCL: torch_musa has MCCL"),
    (re.compile("NCCL"), "may be PyTorch's backend nccl: that of torch_musa is mccl"),
    (
        re.compile(r"NV_(?:PROVIDES|IS_EXACTLY)_SM_\d+|NV_HAS_FEATURE_SM_\w+"),
        "is about NVIDIA's cards, and never true in ported code",
    ),
)

_TABLES = Path(__file__).with_name("tables")


class Classifier:
    """Decides which identifiers matter under one `RuleSet`, and caches the decisions.

    A file is translated if it holds one of `triggers`, or one that the rules are about. `context` are identifiers that
    matter only in such a file: `double`, `32`.

    Attributes:
        renames: identifier -> its new name, for every identifier classified so far that a name pattern matches.
        left_over: the identifiers classified so far that a reader would question if they were not replaced.
        rewritten: the identifiers classified so far that name an API which is not ported by renaming.
    """

    def __init__(self, rules: RuleSet, triggers: Iterable[str] = (), context: Iterable[str] = ()) -> None:
        self.renames: dict[str, str] = {}
        self.left_over: set[str] = set()
        self.rewritten: set[str] = set()
        self._rules = rules
        self._classified: set[bytes] = set()
        self._relevant: set[bytes] = set()  # a file with one of these is translated
        self._noticed: set[bytes] = set()  # the above, and identifiers that matter only in such a file
        self._names = {rule.find for rule in rules.tables.rules}  # irregular names win over name patterns
        self._starts = {prefix[:2] for prefix in (*_LIBRARY_PREFIXES, *_MUSA_PREFIXES, *rules.prefixes)}
        self._triggers = {*rules.rules_by_identifier, *rules.pattern_rules_by_identifier, *_EXCLUSION_MARKS}
        self._context = {*context}.union(*(pattern.required_identifiers for pattern in rules.tables.pattern_rules))
        if rules.has_defaults:
            self._triggers.update(triggers, map(_file_stem, rules.headers))

    def classify(self, indexes: Iterable[IdentifierIndex]) -> None:
        """Classify the identifiers of some files. Many files at once cost half of one file after the other."""
        new = set().union(*(index.identifiers for index in indexes)) - self._classified
        if new:
            self._classify(new)
            self._classified |= new

    def relevant(self, index: IdentifierIndex) -> frozenset[str]:
        """Return the identifiers of a file that some rule, guard, hazard or remark is about.

        The result is empty if nothing is to be done. The identifiers must have been classified.
        """
        identifiers = self._noticed.intersection(index.identifiers)
        if identifiers.isdisjoint(self._relevant):
            return frozenset()
        return frozenset([identifier.decode("latin-1") for identifier in identifiers])

    def _classify(self, identifiers: set[bytes]) -> None:
        """Classify new identifiers, all at once: one call for each would cost more than the work itself."""
        texts = b"\n".join(identifiers).decode("latin-1").split("\n")
        relevant = self._triggers.intersection(texts)
        noticed = set(self._context.intersection(texts))
        if self._rules.has_defaults:
            cuda_names = {text for text in texts if "cuda" in text.lower()}
            # Two characters rule out nearly every identifier that begins like no name of CUDA or MUSA.
            starts = self._starts
            for identifier in [text for text in texts if text[:2] in starts]:
                new = None if identifier in self._names else self._rules.renamed(identifier)
                if new is not None:
                    self.renames[identifier] = new
                    relevant.add(identifier)
                if identifier.startswith(_LIBRARY_PREFIXES):
                    cuda_names.add(identifier)
                if identifier.startswith(_MUSA_PREFIXES):
                    noticed.add(identifier)
            others = [text for text in texts if "NCCL" in text or text.startswith("NV_")]
            cuda_names.update(text for text in others if any(each.fullmatch(text) for each, _ in LIBRARY_NAMES))
            relevant.update(text for text in others if text.startswith("TORCH_NCCL_"))  # variables of the environment
            self.left_over.update(name for name in cuda_names if not CUDNN.fullmatch(name))
            relevant |= cuda_names
            relevant |= _SUFFIXES.intersection(texts)
            self.rewritten.update(filter(_must_be_rewritten, relevant))
        self._relevant.update([identifier.encode("latin-1") for identifier in relevant])
        self._noticed.update([identifier.encode("latin-1") for identifier in noticed | relevant])


def looks_like_cuda_name(identifier: str) -> bool:
    """Return whether a reader would question `identifier` after porting.

    The package's own names (WITH_CUDA, foo_cuda) are among them: a reader can tell them from forgotten API, a program
    cannot. So is `cuh`, which in an #include is the end of a file's name.
    """
    return "cuda" in identifier.lower() or identifier.startswith(_LIBRARY_PREFIXES) or identifier in _SUFFIXES


def _must_be_rewritten(identifier: str) -> bool:
    """Return whether `identifier` names an API that must be rewritten, not renamed."""
    return identifier.startswith(UNSUPPORTED) or CUDNN.fullmatch(identifier) is not None


_LAST_STEM = re.compile(r"([\w]+)\.\w+\Z")


def _file_stem(header: str) -> str:
    """Return `CUDAContext` of `ATen/cuda/CUDAContext.h`: a file that includes the header holds this identifier."""
    match = _LAST_STEM.search(header)
    return match[1] if match is not None else header


def absent_in_simulator() -> frozenset[str]:
    """Read the names that the simulator lacks."""
    return _names("simulator-absent.txt")


def names_of_cuda() -> frozenset[str]:
    """Read the names of CUDA."""
    return _names("cuda-names.txt")


def _names(table: str) -> frozenset[str]:
    return frozenset((_TABLES / table).read_text(encoding="ascii").split())
