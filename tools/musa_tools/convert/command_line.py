"""The command `musa-converter`."""

from __future__ import annotations

import argparse
import logging
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

from ..errors import ToolError
from ..files import whole_file
from ..terminal import show
from .edits import LEFT
from .files import Job, convert_files
from .help_style import Parser
from .output import Backup, WriteError, write_all
from .report import Summary, as_html, as_json, diff, relative
from .results import FileResult, Options
from .tree import Exclusions, files_of, links_of, unusual_of

DONE, WOULD_CHANGE, FAILED, NOT_ALL_SUPPORTED, NOT_WRITTEN, INTERRUPTED = 0, 1, 2, 3, 4, 130
#: The form of torch_musa's converter, which its manual shows: scripts read its log
_FORMAT = "%(asctime)s - %(levelname)s - %(message)s"

_EPILOG = """\
Examples:
  musa-converter -r yolov5 -l yolov5/train.py   convert a project in place
  musa-converter -r yolov5 --diff               show what would change
  musa-converter -r src -e src/third_party 'test_*.py'
                                                leave some files out
  musa-converter -r src --check --strict        in CI: is all converted?
  musa-converter -r src --backup .orig --report report.html

Exit status: 0 when done, 1 if --check found something to change, 2 for wrong
arguments or files that could not be read (the others were converted),
3 if --strict found something that MUSA does not support, 4 if nothing was
written (all is as it was), 130 if interrupted (all is as it was).
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    description = "Convert PyTorch training and inference scripts from CUDA to MUSA."
    result = Parser("musa-converter", "-r ROOT", description, _EPILOG)
    add = result.add_argument
    add("-r", "--root_path", required=True, type=Path, metavar="ROOT", help="file or folder to convert")
    add("-l", "--launch_path", type=Path, metavar="SCRIPT", help="script that is started; gets `import torch_musa`")
    add(
        "-e",
        "--excluded_path",
        nargs="*",
        action="extend",
        default=[],
        metavar="PATH",
        help="files, folders or patterns to leave out, with blanks or commas between them",
    )
    add("--all-scripts", action="store_true", help="add `import torch_musa` to every script with a __main__ guard")
    add("--messages", action="store_true", help="also change CUDA in texts that are printed, logged or raised")
    add("--shell", action="store_true", help="also change commands in shell scripts and notebooks")
    add("--textual", action="store_true", help="replace words everywhere, names and comments too, as torch_musa does")
    add("--dry-run", action="store_true", help="write no file")
    add("--diff", action="store_true", help="write no file; print the differences")
    add("--check", action="store_true", help="write no file; exit with 1 if something would change")
    add("--strict", action="store_true", help="exit with 3 if something is left that MUSA does not support")
    add(
        "--backup",
        nargs="?",
        const=".orig",
        metavar="FOLDER|.SUFFIX",
        help="keep the old files, in a folder or beside the new ones (.orig)",
    )
    add("--report", type=Path, metavar="FILE.html|FILE.json", help="write a report")
    add(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes for large trees (default: %(default)s)",
    )
    add(
        "-v",
        "--verbose",
        action="store_true",
        help="show all notes, also on texts and switches that need no change",
    )
    return result


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command. Return its exit code."""
    words, known = sys.argv[1:] if argv is None else argv, parser()
    for word in words:
        if word.startswith("--") and word.endswith("=--"):  # argparse before Python 3.13 makes an empty list of it
            known.error(f"argument {word[:-3]}: expected one argument")
    arguments = known.parse_args(words)
    log = _logger()
    try:
        with _termination_is_an_interrupt():
            return _run(arguments, log)
    except WriteError as error:
        show(error)
        return NOT_WRITTEN
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        print("interrupted; every file is as it was", file=sys.stderr)
        return INTERRUPTED


@contextmanager
def _termination_is_an_interrupt() -> Iterator[None]:
    """Handle SIGTERM as Ctrl-C, so that it too leaves every file as it was."""

    def interrupt(signum: int, frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, old)


def _logger() -> logging.Logger:
    log = logging.Logger("musa-converter", logging.INFO)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(_FORMAT))
    log.addHandler(handler)
    return log


def _run(arguments: argparse.Namespace, log: logging.Logger) -> int:
    problem = _problem(arguments)
    if problem:
        show(problem)
        return FAILED
    root: Path = arguments.root_path
    jobs = _jobs(arguments, log, _backup(arguments))
    options = Options(arguments.messages, arguments.textual, arguments.shell, arguments.all_scripts)
    log.info("Start to convert the scripts...")
    results = _converted(jobs, options, arguments.jobs)
    _show(results, root, arguments.verbose, log)
    if arguments.diff:
        for result in results:
            _print(diff(result, root))
    writes = not (arguments.dry_run or arguments.diff or arguments.check)
    if writes:
        write_all(results, _backup(arguments))
    summary = Summary.of(results)
    try:
        _tell(results, summary, arguments, writes, log)
    except KeyboardInterrupt:
        log.warning("interrupted while the report was written; the conversion itself is complete")
    return _exit_code(arguments, summary)


def _converted(jobs: Sequence[Job], options: Options, processes: int) -> list[FileResult]:
    """Convert the files in memory, and say on a terminal how many are done."""
    from ..waiting import Waiting

    converted = convert_files(jobs, options, processes)
    results: list[FileResult] = []
    with Waiting(sys.stderr) as waiting:  # its thread starts after the processes
        waiting.begins(f"converting: 0 of {len(jobs)} files")
        for result in converted:
            results.append(result)
            waiting.continues(f"converting: {len(results)} of {len(jobs)} files")
    return results


def _tell(
    results: Sequence[FileResult],
    summary: Summary,
    arguments: argparse.Namespace,
    writes: bool,
    log: logging.Logger,
) -> None:
    """Write the report, and the numbers to the log."""
    root: Path = arguments.root_path
    if arguments.report:
        text = as_json(results, root) if arguments.report.suffix == ".json" else as_html(results, root)
        try:
            with whole_file(arguments.report) as temporary:
                temporary.write_text(text, encoding="utf-8")
        except OSError as error:
            show(ToolError(f"--report: {arguments.report} cannot be written", found=str(error.strerror or error)))
    would = "changed" if writes else "would change"
    log.info(
        "%d of %d files %s, %d changes; %d not supported on MUSA, %d unclear, %d left as they are",
        *(summary.changed, summary.files, would, summary.changes),
        *(summary.unsupported, summary.unclear, summary.left),
    )
    log.info("Scripts conversion done!!!")


def _problem(arguments: argparse.Namespace) -> Optional[ToolError]:
    """Return the error in the arguments."""
    if not arguments.root_path.exists():
        return ToolError(f"-r: {arguments.root_path} does not exist", wanted="a file or folder to convert")
    if not (arguments.root_path.is_file() or arguments.root_path.is_dir()):
        return ToolError(f"-r: {arguments.root_path} is neither a file nor a folder")
    if arguments.launch_path is not None and not arguments.launch_path.is_file():
        dangling = arguments.launch_path.is_symlink() and not arguments.launch_path.exists()
        is_what = "a link to nothing" if dangling else "not a file"
        return ToolError(f"-l: {arguments.launch_path} is {is_what}", wanted="the script that is started")
    if arguments.report is not None and arguments.report.suffix not in (".html", ".json"):
        return ToolError(
            f"--report: {arguments.report} is no name of a report", wanted="one that ends in .html or .json"
        )
    if arguments.report is not None and not arguments.report.absolute().parent.is_dir():
        folder = arguments.report.absolute().parent
        return ToolError(f"--report: the folder {folder} does not exist", hint=f"mkdir -p {shlex.quote(str(folder))}")
    return None


def _jobs(arguments: argparse.Namespace, log: logging.Logger, backup: Optional[Backup]) -> list[Job]:
    """Return the files to convert, with the launch script, wherever it lies."""
    exclusions = Exclusions(arguments.root_path, arguments.excluded_path)
    if backup is not None and backup.folder is not None:
        exclusions.add_folder(backup.folder)  # the old files stay what they are when the command runs again
    for text in exclusions.unknown:
        log.warning("-e: %s does not exist", text)
    if arguments.launch_path is None:
        log.warning("no launch script was given (-l): add `import torch_musa` to it by hand")
    launch = "" if arguments.launch_path is None else os.path.realpath(arguments.launch_path)
    jobs = [Job(path, path == launch) for path in files_of(arguments.root_path, exclusions)]
    known = {launch, *(job.path for job in jobs)}
    for link in links_of(arguments.root_path, exclusions):
        target = os.path.realpath(link)
        if target not in known:
            log.warning("%s is a link to %s, which is not converted", relative(link, arguments.root_path), target)
    for path, reason in unusual_of(arguments.root_path, exclusions):
        log.warning("%s is %s, which is not converted", relative(path, arguments.root_path), reason)
    if launch and not any(job.launch for job in jobs):
        is_linked = _is_linked(arguments.launch_path, arguments.root_path, exclusions)
        jobs.append(Job(launch, launch=True, rules=is_linked))
        if is_linked:
            log.warning("%s is a link to %s, which is converted", arguments.launch_path, launch)
        else:
            log.warning("%s is none of the files of -r: it gets `import torch_musa`, and nothing else", launch)
    return jobs


def _is_linked(script: Path, root: Path, exclusions: Exclusions) -> bool:
    """Whether a script is one of the project by a link to it, or to a folder around it."""
    path, top = os.path.abspath(script), os.path.abspath(root)  # noqa: PTH100 (links are not resolved)
    inner = os.path.relpath(path, top)
    is_inside = not inner.startswith(os.pardir)
    is_link = os.path.realpath(path) != os.path.join(os.path.realpath(top), inner)  # noqa: PTH118
    return is_inside and is_link and not exclusions.covers(path, inner)


def _show(results: Sequence[FileResult], root: Path, verbose: bool, log: logging.Logger) -> None:
    for result in results:
        name = relative(result.path, root)
        if result.converted.error:
            log.error("%s was not converted: %s", name, result.converted.error)
        for remark in result.converted.remarks:
            if remark.level != LEFT:
                log.warning("%s:%d: %s", name, remark.line, remark.message)
            elif verbose:
                log.info("%s:%d: %s", name, remark.line, remark.message)


def _print(lines: object) -> None:
    for line in lines:  # type: ignore[attr-defined]
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def _backup(arguments: argparse.Namespace) -> Optional[Backup]:
    text = arguments.backup
    if text is None:
        return None
    root = arguments.root_path.resolve()
    if text.startswith(".") and "/" not in text and text.strip("."):
        return Backup(root, suffix=text)
    return Backup(root, folder=Path(text).absolute())


def _exit_code(arguments: argparse.Namespace, summary: Summary) -> int:
    if summary.failed:
        return FAILED
    if arguments.check and summary.changed:
        return WOULD_CHANGE
    return NOT_ALL_SUPPORTED if arguments.strict and summary.unsupported else DONE


if __name__ == "__main__":
    sys.exit(main())
