"""Convert many files in memory: a file's kind chooses the converter; large trees are shared among processes."""

from __future__ import annotations

import codecs
import gc
import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .candidates import is_candidate
from .config_file import convert_config
from .notebook import convert_notebook
from .python_file import add_launch_import, convert_python
from .results import UNCHANGED, Converted, FileResult, Options, Stamp
from .shell import convert_shell
from .textual import convert_textually
from .tree import kind_of_file

_WORTH_A_PROCESS = 2_000_000  # bytes
_CHUNK = 1_000_000


@dataclass(frozen=True)
class Job:
    """A file to convert. `launch`: add the import; `rules`: change the rest too."""

    path: str
    launch: bool = False
    rules: bool = True


def convert_content(path: str, content: bytes, options: Options, launch: bool = False, rules: bool = True) -> Converted:
    """Convert one file's bytes by its kind."""
    kind = kind_of_file(path)
    encoding = _wide_encoding(content)
    if encoding is not None and kind != "notebook":
        texts = content, content.decode(encoding, "replace").encode("utf-8", "replace")
        is_concerned = any(is_candidate(text, options.messages) for text in texts)
        return Converted(error=f"it is {encoding}: save it as UTF-8") if is_concerned else UNCHANGED
    if kind == "config":
        return convert_config(content)
    if kind == "notebook":
        return convert_notebook(content, options, launch)
    if kind == "shell":
        return convert_shell(content, options)
    if not rules:
        return add_launch_import(content)
    if options.textual:
        return convert_textually(content, options, launch)
    return convert_python(content, options, launch)


def _wide_encoding(content: bytes) -> Optional[str]:
    """Return the encoding of a text of wide characters, which no rule reads: by its mark, or the zeros in it."""
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "UTF-32"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    zeros = "".join("0" if byte == 0 else "x" for byte in content[:4])
    return {"x0x0": "UTF-16-LE", "0x0x": "UTF-16-BE"}.get(zeros)


def convert_file(job: Job, options: Options) -> FileResult:
    """Read and convert one file; an error in reading is a result too."""
    try:
        stamp = Stamp.of(job.path)
        content = Path(job.path).read_bytes()
    except OSError as error:
        return FileResult(job.path, Converted(error=f"cannot be read: {error.strerror}"), Stamp(0, 0))
    return FileResult(job.path, convert_content(job.path, content, options, job.launch, job.rules), stamp)


def convert_files(jobs: Sequence[Job], options: Options, processes: int) -> Iterator[FileResult]:
    """Convert files in memory, in order. Small trees are not worth a process. Processes start before this returns."""
    sizes = [_size(job.path) for job in jobs]
    if processes < 2 or sum(sizes) < _WORTH_A_PROCESS:
        return _convert_chunk(jobs, options)
    chunks = list(_chunks(jobs, sizes))
    pool = ProcessPoolExecutor(min(processes, len(chunks)), initializer=_leave_signals_to_the_parent)
    return _results(pool, pool.map(_convert_chunk_list, chunks, [options] * len(chunks)))


def _results(pool: ProcessPoolExecutor, converted: Iterator[list[FileResult]]) -> Iterator[FileResult]:
    try:
        for results in converted:
            yield from results
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _leave_signals_to_the_parent() -> None:
    """Let Ctrl-C, which reaches all processes of a terminal, be handled once; and SIGTERM end a worker at once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return 0


def _chunks(jobs: Iterable[Job], sizes: Iterable[int]) -> Iterator[list[Job]]:
    chunk: list[Job] = []
    total = 0
    for job, size in zip(jobs, sizes):
        chunk.append(job)
        total += size
        if total > _CHUNK:
            yield chunk
            chunk, total = [], 0
    if chunk:
        yield chunk


def _convert_chunk_list(jobs: Sequence[Job], options: Options) -> list[FileResult]:
    return list(_convert_chunk(jobs, options))


def _convert_chunk(jobs: Sequence[Job], options: Options) -> Iterator[FileResult]:
    for job in jobs:
        with _no_collection():
            result = convert_file(job, options)
        yield result


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector off: a syntax tree is many objects and no cycle, and it looks at all of them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
