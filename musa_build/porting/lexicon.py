"""Which words of a file matter to porting, remembered for all files of a run.

A tree repeats itself: a few thousand different words make up megabytes. Each word is judged once; after that, telling
whether a file needs any work is the intersection of two sets.
"""

from __future__ import annotations

import re

from musa_build.porting.guards import GUARD_WORDS
from musa_build.porting.hazards import DEVICE_WORDS, HAZARD_WORDS
from musa_build.porting.rules import RuleSet
from musa_build.porting.vocabulary import words_of

_LIBRARY_PREFIXES = ("cublas", "cufft", "curand", "cusolver", "cusparse", "cudnn", "CUDNN_", "nccl", "nvrtc", "nvtx")
# Whole lines: words that may speak of CUDA; words of hazards, and names of MUSA (a CUDA tree may make aliases of them).
_OF_CUDA = re.compile(r"^.*(?:[cC]uda|CUDA|cu|CUDNN_|nccl|nvrtc|nvtx|THC).*$", re.MULTILINE)
_NOTICED = re.compile(
    rf"^(?:{'|'.join(map(re.escape, sorted(HAZARD_WORDS)))}|_*(?:mu|MU|mccl|MCCL|mt|MT).*)$", re.MULTILINE
)
_HEADER_WORD = re.compile(r"([\w]+)\.\w+\Z")
_MARKS = ("MUSIFY_EXCL_START", "MUSIFY_EXCL_LINE")


class Lexicon:
    """The judgement of one `RuleSet` on words. It only ever remembers: asking twice gives the same answer.

    Attributes:
        renames: word -> its new name, for every word judged so far that has one by its shape.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.renames: dict[str, str] = {}
        self._rules = rules
        self._seen: set[bytes] = set()
        self._relevant: dict[bytes, str] = {}  # a file with one of these is looked into
        self._noticed: dict[bytes, str] = {}  # these matter in such a file only: `double`, `32`
        self._names = {rule.find for rule in rules.tables.rules}  # irregular names win over shapes
        self._special = {*rules.rules_by_word, *rules.phrases_by_word, *_MARKS}
        if rules.has_defaults:
            self._special |= {*GUARD_WORDS, *DEVICE_WORDS, *map(_last_word, rules.headers)}

    def relevant(self, content: bytes) -> frozenset[str]:
        """Those words of `content` that some rule, guard, hazard or remark is about; none if nothing is to be done."""
        words = words_of(content)
        fresh = words - self._seen
        if fresh:
            self._judge(fresh)
            self._seen |= fresh
        hits = words & self._relevant.keys()
        if not hits:
            return frozenset()
        noticed = words & self._noticed.keys()
        return frozenset([*map(self._relevant.__getitem__, hits), *map(self._noticed.__getitem__, noticed)])

    def _judge(self, words: set[bytes]) -> None:
        """Judge new words, all in one text of one word per line: the regular expressions then loop in C."""
        lines = b"\n".join(words).decode("latin-1")
        relevant = set(lines.split("\n")) & self._special
        noticed = set(_NOTICED.findall(lines))
        if self._rules.has_defaults:
            for word, new in self._rules.renamed_lines(lines):
                if word not in self._names:  # irregular names win over shapes
                    self.renames[word] = new
                    relevant.add(word)
            relevant.update(word for word in _OF_CUDA.findall(lines) if speaks_of_cuda(word))
        self._relevant.update((word.encode("latin-1"), word) for word in relevant)
        self._noticed.update((word.encode("latin-1"), word) for word in noticed - relevant)


def speaks_of_cuda(identifier: str) -> bool:
    """Whether a reader would look at `identifier` twice after porting.

    The package's own names (WITH_CUDA, foo_cuda) are among them: a reader can tell them from forgotten API, a program
    cannot. So is `cuh`, which in an #include is the end of a file's name.
    """
    return (
        "cuda" in identifier.lower() or identifier.startswith(_LIBRARY_PREFIXES) or identifier in ("cuh", "cu", "THC")
    )


def _last_word(header: str) -> str:
    """`CUDAContext` of `ATen/cuda/CUDAContext.h`: a file that includes the header holds this word."""
    match = _HEADER_WORD.search(header)
    return match[1] if match is not None else header
