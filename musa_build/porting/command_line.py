"""The porting command: `musa-build port DIR`, also `python -m musa_build.porting` with torch_musa's options."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from ..errors import MusaBuildError, PortingError
from ..system.files import replace_atomically
from . import noop_cache
from .api import not_idempotent, port, port_in_place, preview
from .arguments import options_from, parsed, rule_stamps_from, rules_from
from .options import absolute
from .report.summary import Change, PortReport, as_text

if TYPE_CHECKING:
    import argparse

    from .options import PortOptions

IsClean = Callable[[Path], bool]


def run(argv: Sequence[str], prog: str, is_clean: Optional[IsClean]) -> int:
    """Run the command with the arguments `argv`. Return the exit code; print an error as one line on stderr."""
    arguments = parsed(argv, prog)
    try:
        code = _run(arguments, argv, is_clean)
        sys.stdout.flush()
        return code
    except MusaBuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        if not error.filename:  # what is still buffered would fail once more at Python's end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            print(f"error: {error.filename or 'the output'} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; every file is as it was, or complete", file=sys.stderr)
        return 130


def _run(arguments: argparse.Namespace, argv: Sequence[str], is_clean: Optional[IsClean]) -> int:
    rule_stamps = rule_stamps_from(arguments)  # before the rules are read
    rules = rules_from(arguments)
    if arguments.query is not None:
        from .report.query import answer

        print(answer(arguments.query, rules))
        return 0
    if arguments.torch_headers is not None:
        return _port_torch_headers(arguments)
    if arguments.pytorch is not None:
        raise PortingError("a PyTorch checkout is ported with torch's headers", wanted="--torch-headers --pytorch DIR")
    options = options_from(arguments, rules, rule_stamps)
    if arguments.in_place:
        return _port_in_place(arguments, options, is_clean)
    if arguments.analyze or arguments.diff or arguments.check or arguments.dry_run:
        return _preview(arguments, options)
    return _port(arguments, argv, options)


def _port(arguments: argparse.Namespace, argv: Sequence[str], options: PortOptions) -> int:
    outcome = port(options)
    report = outcome.report
    output_text = _print_report(report)
    if arguments.report is not None or arguments.verify:
        changes = preview(options)[1]
        _write_report(arguments.report, report, changes, wrote=True)
        return _verify(options, changes) if arguments.verify else 0
    if outcome.stamps:
        again = report._replace(written=(), removed=()).summary + output_text[len(report.summary) :]
        entry = noop_cache.cache_entry(argv, outcome.stamps, again)
        replace_atomically(options.output / noop_cache.NAME, entry)
    return 0


def _port_in_place(arguments: argparse.Namespace, options: PortOptions, is_clean: Optional[IsClean]) -> int:
    if not arguments.allow_dirty and not (is_clean is not None and is_clean(options.source)):
        raise PortingError(
            "porting in place could not be undone",
            found=f"{options.source} is not a clean git tree",
            hint="commit first, or say --allow-dirty",
        )
    _print_report(port_in_place(options))
    return 0


def _port_torch_headers(arguments: argparse.Namespace) -> int:
    from .pytorch.headers import port_torch_headers, torch_include

    include = Path(arguments.torch_headers) if arguments.torch_headers else torch_include()
    output = absolute(arguments.output or "generated_cuda_compatible")
    checkout = None if arguments.pytorch is None else absolute(arguments.pytorch)
    _print_report(port_torch_headers(absolute(include), output, checkout))
    return 0


def _print_report(report: PortReport) -> str:
    text = as_text(report)
    sys.stderr.write(text)
    return text


def _preview(arguments: argparse.Namespace, options: PortOptions) -> int:
    from .report import formats

    report, changes = preview(options)
    if arguments.analyze:
        kernels = sum(change.before.count(b"__global__") for change in changes)
        lines = sum(change.before.count(b"\n") for change in changes)
        sys.stdout.write(formats.as_analysis(report, kernels, lines, options.target.name))
    elif arguments.diff:
        sys.stdout.writelines(formats.as_diff(changes))
    else:
        for target in (*report.written, *(f"{target} (removed)" for target in report.removed)):
            print(target)
    _write_report(arguments.report, report, changes, wrote=False)
    if arguments.verify and (code := _verify(options, changes)):
        return code
    return 1 if arguments.check and (report.written or report.removed) else 0


def _verify(options: PortOptions, changes: Sequence[Change]) -> int:
    unstable = list(not_idempotent(options, tuple(changes)))
    for target in unstable:
        print(f"unstable: porting {target} again would change it", file=sys.stderr)
    return 1 if unstable else 0


def _write_report(name: Optional[str], report: PortReport, changes: Sequence[Change], wrote: bool) -> None:
    if name is None:
        return
    from .report import formats, page

    forms: dict[str, Callable[[], str]] = {
        ".json": lambda: formats.as_json(report),
        ".sarif": lambda: formats.as_sarif(report),
        ".html": lambda: page.as_html(report, changes, wrote),
    }
    path = Path(name)
    try:
        replace_atomically(path, forms[path.suffix]().encode("utf-8", "replace"))
    except OSError as error:
        raise PortingError("the report cannot be written", found=f"{path}: {error.strerror}") from error
