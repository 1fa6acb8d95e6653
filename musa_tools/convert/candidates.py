"""Which files, and which of their lines, can have something to change: a search in bytes, before anything is parsed."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

# Identifiers such as `use_cuda` or `TEST_CUDA` are a project's own; comments can only be told apart by parsing.
_WORDS = re.compile(
    rb"\bcuda\b|\bis_cuda\b|\bnccl\b|is_nccl_available|(?<![A-Za-z])NCCL_|ProcessGroupNCCL|\bcudnn\b"
    rb"|\bCUDA_VISIBLE_DEVICES|\bCUDA_LAUNCH_BLOCKING|PYTORCH_CUDA_ALLOC_CONF"
    rb"|\bCUDA(?:Extension|Graph|PluggableAllocator)\b|\bcudart\b|ProfilerActivity\.CUDA|cpp_extension|\bnvcc\b"
    rb"|extra_cuda_cflags|cuda_sources|allow_tf32"
)
_WORDS_OF_MESSAGES = re.compile(_WORDS.pattern + rb"|\bCUDA\b|\bNCCL\b")


def is_candidate(content: bytes, messages: bool) -> bool:
    """Whether anything in a file can have to be changed."""
    return (_WORDS_OF_MESSAGES if messages else _WORDS).search(content) is not None


class CandidateLines:
    """The offsets of all words in question; says which ranges of the source are worth a look."""

    def __init__(self, code: bytes, messages: bool) -> None:
        words = _WORDS_OF_MESSAGES if messages else _WORDS
        self._offsets = [found.start() for found in words.finditer(code)]

    def any_between(self, start: int, end: int) -> bool:
        """Whether a word in question stands between two offsets."""
        return bisect_left(self._offsets, start) < bisect_right(self._offsets, end)

    def __iter__(self) -> Iterator[int]:
        return iter(self._offsets)
