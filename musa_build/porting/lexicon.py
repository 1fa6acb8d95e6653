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
_MUSA_PREFIXES = ("musa", "MUSA", "mu", "MU", "mccl", "MCCL", "mt", "MT", "__mu", "__MU", "__mt")
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
        for word in words - self._seen:
            self._judge(word)
        self._seen |= words
        hits = words & self._relevant.keys()
        if not hits:
            return frozenset()
        noticed = words & self._noticed.keys()
        return frozenset([*map(self._relevant.__getitem__, hits), *map(self._noticed.__getitem__, noticed)])

    def _judge(self, word: bytes) -> None:
        text = word.decode("latin-1")
        new = None if text in self._names else self._rules.renamed(text)
        if new is not None:
            self.renames[text] = new
        if new is not None or text in self._special or (self._rules.has_defaults and speaks_of_cuda(text)):
            self._relevant[word] = text
        elif text in HAZARD_WORDS or text.startswith(_MUSA_PREFIXES):
            self._noticed[word] = text


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
