"""Find the files and lines that may need changes: a search in bytes, before anything is parsed."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

# Identifiers such as `use_cuda` or `TEST_CUDA` are a project's own; only parsing recognises comments.
# Each alternative begins with a letter, and what must stand before a word is asked behind it: so the search is twenty
# times as fast as with `\b` in front.
_WORDS = re.compile(
    rb"cuda(?:\b(?:(?<!\wcuda)|(?<=\bis_cuda)|(?<=\bwith_cuda))|_(?:sources|cflags|time_total|memory_usage)\b)"
    rb"|cud(?:nn|art)\b(?<!\wcudnn)|cpp_extension"
    rb"|CUDA(?:(?:Extension|Graph|PluggableAllocator|ExecutionProvider)\b"
    rb"|_(?:VISIBLE_DEVICES|LAUNCH_BLOCKING|ALLOC_CONF|HOME|PATH)"
    rb"|\b(?:(?<=\.CUDA)|(?<=\. CUDA)|(?<=[a-z]CUDA))| (?:out of memory|error)\b)"
    rb"|(?:CUDA|CUDNN|CUBLAS|NVCC|NVIDIA)[A-Z0-9_]*(?:[\"'={%]|_ARCH_LIST)"
    rb"|nccl(?:\b(?<!\wnccl)|_available)|nvcc\b(?<!\wnvcc)"
    rb"|NCCL(?:_(?<![A-Za-z]NCCL_)"
    rb"|\b(?:(?<=ProcessGroupNCCL)|(?<=\.NCCL)|(?<=\. NCCL)|(?<=[\"']NCCL)(?=[\"']))| error\b)"
)
_FACTS = (  # of a card, of NVIDIA's programs and libraries
    rb"|get_(?:device_(?:capability|name|properties)|arch_list)\b"
    rb"|\b_C\._cuda_|cudagraphs\b|GPUTarget\b|[\"'](?:-l)?(?:cublas|cufft|curand|cusparse|cusolver|nvrtc)"
    rb"|[\"'](?:cud?|ncc?)[\"']|[\"'](?:uda|ccl)[\"':]|\\(?:x|u00)(?:6[134CEce]|75)"  # parts of a name
    rb"|nvidia-smi|pynvml\b|\blibcu|(?:sm|compute)_\d"
)
# a variable that has a part of a name
_PART = re.compile(
    rb"\b([A-Za-z_]\w*)\s*=\s*[\"'](?:c(?:u(?:da?)?)?|n(?:c(?:cl?)?)?|(?:CUDA|NCCL)\w*|VISIBLE_DEVICES)[\"']"
)
_EXTENSION_ALIAS = re.compile(rb"\bcpp_extension\s+as\s+([A-Za-z_]\w*)")
# `map_location` may be given a function that has words in question; `.major` may be a card's
_GIVES_LOCATION = rb"|map_?location|\bload\(|\.(?:major|minor)\b"
_WORDS_OF_MESSAGES = re.compile(_WORDS.pattern + rb"|CUDA\b(?<!\wCUDA)|NCCL\b(?<!\wNCCL)")


def is_candidate(content: bytes, messages: bool) -> bool:
    """Whether anything in a file may need a change."""
    words = _WORDS_OF_MESSAGES if messages else _WORDS
    return words.search(content) is not None or re.search(_FACTS[1:], content) is not None


class CandidateLines:
    """The offsets of all words in question; says which ranges of the source are worth a look."""

    def __init__(self, code: bytes, messages: bool, names: Iterable[str] = ()) -> None:
        words = (_WORDS_OF_MESSAGES if messages else _WORDS).pattern
        # names for the module of extensions: nothing else says that `ce.BuildExtension` has to be changed
        aliases = b"".join(rb"|\b" + name + rb"\." for name in set(_EXTENSION_ALIAS.findall(code)))
        aliases += b"".join(rb"|\b" + name + rb"\b" for name in set(_PART.findall(code)))
        aliases += rb"|\.cuda[A-Z]" if b"cudart" in code else b""  # torch.cuda.cudart().cudaProfilerStart()
        aliases += b"".join(rb"|\b" + re.escape(name.encode()) + rb"\b" for name in sorted(names))
        self._offsets = [found.start() for found in re.finditer(words + _FACTS + _GIVES_LOCATION + aliases, code)]

    def any_between(self, start: int, end: int) -> bool:
        """Whether there is a candidate word between two offsets."""
        return bisect_left(self._offsets, start) < bisect_right(self._offsets, end)

    def __iter__(self) -> Iterator[int]:
        return iter(self._offsets)
