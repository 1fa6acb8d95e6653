"""Which words of a file matter to porting, remembered for all files of a run.

A tree repeats itself: a few thousand different words make up megabytes. Each word is judged once; after that, telling
whether a file needs any work is the intersection of two sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .guards import GUARD_WORDS
from .hazards import CUDNN, DEVICE_WORDS, HAZARD_WORDS, is_rewritten
from .identifiers import Vocabulary
from .older_cxx import OLDER_CXX_COMPANY, OLDER_CXX_WORDS
from .rules import RuleSet

_LIBRARY_PREFIXES = ("cublas", "cufft", "curand", "cusolver", "cusparse", "cudnn", "CUDNN_", "nccl", "nvrtc", "nvtx")
# Names of MUSA: a CUDA tree may define them as aliases.
_MUSA_PREFIXES = ("musa", "MUSA", "mu", "MU", "mccl", "MCCL", "mt", "MT", "__mu", "__MU", "__mt")
_HEADER_WORD = re.compile(r"([\w]+)\.\w+\Z")
# Of file names in comments; as identifiers they are the package's own.
_SUFFIX_WORDS = frozenset({"cu", "cuh", "THC"})
_MARKS = ("MUSIFY_EXCL_START", "MUSIFY_EXCL_LINE")


class Lexicon:
    """The judgement of one `RuleSet` on words. It only ever remembers: asking twice gives the same answer.

    Attributes:
        renames: word -> its new name, for every word judged so far that has one by its shape.
        left_over: the words judged so far that a reader would look at where they were not replaced.
        rewritten: the words judged so far that name an API which is not ported by renaming.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.renames: dict[str, str] = {}
        self.left_over: set[str] = set()
        self.rewritten: set[str] = set()
        self._rules = rules
        self._judged: set[bytes] = set()
        self._relevant: set[bytes] = set()  # a file with one of these is looked into
        self._noticed: set[bytes] = set()  # those, and what matters in such a file only: `double`, `32`
        self._names = {rule.find for rule in rules.tables.rules}  # irregular names win over shapes
        self._starts = {begin[:2] for begin in (*_LIBRARY_PREFIXES, *_MUSA_PREFIXES, *rules.beginnings)}
        self._special = {*rules.rules_by_word, *rules.phrases_by_word, *_MARKS}
        self._beside = HAZARD_WORDS.union(OLDER_CXX_COMPANY, *(phrase.company for phrase in rules.tables.phrases))
        if rules.has_defaults:
            self._special |= {*GUARD_WORDS, *OLDER_CXX_WORDS, *DEVICE_WORDS, *map(_last_word, rules.headers)}

    def learn(self, vocabularies: Iterable[Vocabulary]) -> None:
        """Judge the words of some files: of many at once costs half of one file after the other."""
        fresh = set().union(*(vocabulary.words for vocabulary in vocabularies)) - self._judged
        if fresh:
            self._judge(fresh)
            self._judged |= fresh

    def relevant(self, vocabulary: Vocabulary) -> frozenset[str]:
        """Those of a file's words that some rule, guard, hazard or remark is about; none if nothing is to be done.

        The words must have been learnt.
        """
        words = self._noticed.intersection(vocabulary.words)
        if words.isdisjoint(self._relevant):
            return frozenset()
        return frozenset([word.decode("latin-1") for word in words])

    def _judge(self, words: set[bytes]) -> None:
        """Judge new words, all at once: thousands of calls would cost more than the judgement."""
        texts = b"\n".join(words).decode("latin-1").split("\n")
        relevant = self._special.intersection(texts)
        noticed = set(self._beside.intersection(texts))
        if self._rules.has_defaults:
            of_cuda = {word for word in texts if "cuda" in word.lower()}
            # Two characters tell nearly every word from those that begin as a name of CUDA or MUSA does.
            starts = self._starts
            for word in [word for word in texts if word[:2] in starts]:
                new = None if word in self._names else self._rules.renamed(word)
                if new is not None:
                    self.renames[word] = new
                    relevant.add(word)
                if word.startswith(_LIBRARY_PREFIXES):
                    of_cuda.add(word)
                if word.startswith(_MUSA_PREFIXES):
                    noticed.add(word)
            self.left_over.update(word for word in of_cuda if not CUDNN.fullmatch(word))
            relevant |= of_cuda
            relevant |= _SUFFIX_WORDS.intersection(texts)
            self.rewritten.update(filter(is_rewritten, relevant))
        self._relevant.update([word.encode("latin-1") for word in relevant])
        self._noticed.update([word.encode("latin-1") for word in noticed | relevant])


def speaks_of_cuda(identifier: str) -> bool:
    """Whether a reader would look at `identifier` twice after porting.

    The package's own names (WITH_CUDA, foo_cuda) are among them: a reader can tell them from forgotten API, a program
    cannot. So is `cuh`, which in an #include is the end of a file's name.
    """
    return "cuda" in identifier.lower() or identifier.startswith(_LIBRARY_PREFIXES) or identifier in _SUFFIX_WORDS


def _last_word(header: str) -> str:
    """`CUDAContext` of `ATen/cuda/CUDAContext.h`: a file that includes the header holds this word."""
    match = _HEADER_WORD.search(header)
    return match[1] if match is not None else header
