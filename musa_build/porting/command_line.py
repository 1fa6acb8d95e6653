"""The porting command: `musa-build port DIR`, also `python -m musa_build.porting` with torch_musa's options."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Optional

from ..errors import MusaBuildError, PortingError
from ..system.files import replace_atomically
from .api import Change, not_settled, port, port_in_place, preview
from .engine.guards import DEFAULT_EMULATED_CUDA
from .engine.hazards import DEFAULT_TARGET, TARGETS
from .engine.rule_files import mapping_files, rule_set
from .engine.rules import RuleSet
from .engine.scanner import Kind
from .options import PortRequest, absolute, request
from .report.summary import PortReport, as_text
from .tree import noop_cache
from .tree.manifest import Stamp, stamp_of

_EPILOG = """examples:
  %(prog)s csrc                                    csrc/k.cu becomes csrc_musa/k.mu
  %(prog)s csrc -o musa --rule CHECK_CUDA=CHECK    another output, a rule of your own
  %(prog)s csrc --diff                             what would change, without changing it
  %(prog)s --analyze csrc --arch mp_31             how much work a port is
  %(prog)s --query cudaMallocAsync                 what becomes of a name

exit code: 0 done; 1 --check found something to do, or --verify something unstable; 2 an error
"""

IsClean = Callable[[Path], bool]


def run(arguments: Sequence[str], prog: str, is_clean: Optional[IsClean]) -> int:
    """Do what `arguments` say. Returns the exit code; an error is one line on stderr."""
    options = _parser(prog).parse_args(arguments)
    try:
        code = _run(options, arguments, is_clean)
        sys.stdout.flush()
        return code
    except MusaBuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        if not error.filename:  # what waits to be printed would fail once more at Python's end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            print(f"error: {error.filename or 'the output'} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; every file is as it was, or complete", file=sys.stderr)
        return 130


def _run(options: argparse.Namespace, arguments: Sequence[str], is_clean: Optional[IsClean]) -> int:
    rule_stamps = _rule_stamps(options)  # before the rules are read
    rules = _rules(options)
    if options.query is not None:
        from .report.query import answer

        print(answer(options.query, rules))
        return 0
    if options.torch_headers is not None:
        from .pytorch.headers import port_torch_headers, torch_include

        include = Path(options.torch_headers) if options.torch_headers else torch_include()
        output = absolute(options.output or "generated_cuda_compatible")
        checkout = None if options.pytorch is None else absolute(options.pytorch)
        return _say(port_torch_headers(absolute(include), output, checkout))
    if options.pytorch is not None:
        raise PortingError("a PyTorch checkout is ported with torch's headers", wanted="--torch-headers --pytorch DIR")
    asked = _request(options, rules, rule_stamps)
    if options.in_place:
        if not options.allow_dirty and not (is_clean is not None and is_clean(asked.source)):
            raise PortingError(
                "porting in place could not be undone",
                found=f"{asked.source} is not a clean git tree",
                hint="commit first, or say --allow-dirty",
            )
        return _say(port_in_place(asked))
    if options.analyze or options.diff or options.check or options.dry_run:
        return _preview(options, asked)
    outcome = port(asked)
    said = as_text(outcome.report)
    sys.stderr.write(said)
    if options.report is not None or options.verify:
        changes = preview(asked)[1]
        _write_report(options.report, outcome.report, changes)
        return _verify(asked, changes) if options.verify else 0
    if outcome.seen:
        nothing_new = outcome.report._replace(written=(), removed=())
        again = nothing_new.summary + said[len(outcome.report.summary) :]
        replace_atomically(asked.output / noop_cache.NAME, noop_cache.memory(arguments, outcome.seen, again))
    return 0


def _say(report: PortReport) -> int:
    sys.stderr.write(as_text(report))
    return 0


def _preview(options: argparse.Namespace, asked: PortRequest) -> int:
    from .report import formats

    report, changes = preview(asked)
    if options.analyze:
        kernels = sum(change.before.count(b"__global__") for change in changes)
        lines = sum(change.before.count(b"\n") for change in changes)
        sys.stdout.write(formats.as_analysis(report, kernels, lines, asked.target.name))
    elif options.diff:
        sys.stdout.writelines(formats.as_diff(changes))
    else:
        for target in (*report.written, *(f"{target} (removed)" for target in report.removed)):
            print(target)
    _write_report(options.report, report, changes)
    if options.verify and (code := _verify(asked, changes)):
        return code
    return 1 if options.check and (report.written or report.removed) else 0


def _verify(asked: PortRequest, changes: Sequence[Change]) -> int:
    unstable = list(not_settled(asked, tuple(changes)))
    for target in unstable:
        print(f"unstable: porting {target} again would change it", file=sys.stderr)
    return 1 if unstable else 0


def _write_report(name: Optional[str], report: PortReport, changes: Sequence[Change]) -> None:
    if name is None:
        return
    from .report import formats

    forms: dict[str, Callable[[], str]] = {
        ".json": lambda: formats.as_json(report),
        ".sarif": lambda: formats.as_sarif(report),
        ".html": lambda: formats.as_html(report, changes),
    }
    path = Path(name)
    try:
        replace_atomically(path, forms[path.suffix]().encode("utf-8", "replace"))
    except OSError as error:
        raise PortingError("the report cannot be written", found=f"{path}: {error.strerror}") from error


def _rule_files(options: argparse.Namespace) -> list[Path]:
    folder = [] if options.mapping_dir_path is None else mapping_files(Path(options.mapping_dir_path))
    return [*map(Path, options.rules), *folder]


def _rule_stamps(options: argparse.Namespace) -> dict[str, Stamp]:
    """The stamps of the files and the folder that the user's rules come from: a file that is added counts too."""
    folder = [] if options.mapping_dir_path is None else [Path(options.mapping_dir_path)]
    paths = map(absolute, (*folder, *_rule_files(options)))
    return {str(path): stamp_of(path.stat()) for path in paths if path.exists()}


def _rules(options: argparse.Namespace) -> RuleSet:
    mapping = read_mapping(options.mapping_rule)
    for pair in options.rule:
        find, equals, replacement = pair.partition("=")
        if not (find and equals):
            raise PortingError("--rule cannot be read", found=pair, wanted="--rule FROM=TO")
        if find in mapping:
            raise PortingError("a rule was given twice", found=f"two rules for {find!r}")
        mapping[find] = replacement
    return rule_set(mapping, None, not options.drop_default_mapping, _rule_files(options))


def _request(options: argparse.Namespace, rules: RuleSet, rule_stamps: Mapping[str, Stamp]) -> PortRequest:
    if (options.folder is None) == (options.cuda_dir_path is None):
        raise PortingError("one folder of CUDA sources is needed", wanted="DIR, or --cuda-dir-path DIR")
    if options.report is not None and Path(options.report).suffix not in (".json", ".sarif", ".html"):
        raise PortingError("the report has no known form", found=options.report, wanted="FILE.json, .sarif or .html")
    prose = [Kind.COMMENT] if options.comments else []
    return request(
        options.cuda_dir_path if options.folder is None else options.folder,
        rules,
        output=options.output,
        ignored=read_list(options.ignore_dir_paths),
        patterns=[pattern.rstrip("/") for pattern in options.ignore],
        prose=[*prose, Kind.STRING] if options.strings else prose,
        emulated=None if options.emulate_cuda == "none" else options.emulate_cuda,
        target=options.arch,
        rule_stamps=rule_stamps,
    )


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help of one width: to ask for the terminal's, argparse loads shutil in every command, with zlib, bz2 and lzma."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog,
        epilog=_EPILOG,
        formatter_class=_Formatter,
        description="Port a folder of CUDA sources into <folder>_musa, beside it. The sources are only read.",
    )
    parser.add_argument("folder", nargs="?", metavar="DIR", help="the folder to port")
    parser.add_argument("-o", "--output", metavar="OUT", help="where to (default: DIR_musa)")
    parser.add_argument("--ignore", action="append", default=[], metavar="GLOB", help="leave out what matches")
    parser.add_argument("--arch", default=DEFAULT_TARGET, choices=TARGETS, help="whose limits hazards are held against")

    rules = parser.add_argument_group("rules")
    rules.add_argument("--rule", action="append", default=[], metavar="A=B", help="replace A by B; wins over all else")
    rules.add_argument("--rules", action="append", default=[], metavar="FILE", help="rules of your own (.json, .rules)")
    rules.add_argument("--comments", action="store_true", help="port comments too")
    rules.add_argument("--strings", action="store_true", help="port string literals too")
    rules.add_argument(
        "--emulate-cuda",
        default=DEFAULT_EMULATED_CUDA,
        metavar="VERSION",
        help="the version that CUDA_VERSION and its kin stand for (default %(default)s); none leaves them alone",
    )

    modes = parser.add_argument_group("instead of writing").add_mutually_exclusive_group()
    modes.add_argument("--diff", action="store_true", help="print what would change")
    modes.add_argument("--check", action="store_true", help="exit with 1 if something would change")
    modes.add_argument("--dry-run", action="store_true", help="print the names of what would be written")
    modes.add_argument("--in-place", action="store_true", help="port the folder itself")
    modes.add_argument("--analyze", action="store_true", help="print how much work a port is")
    modes.add_argument(
        "--torch-headers",
        nargs="?",
        const="",
        metavar="INCLUDE",
        help="port the CUDA headers of the installed torch (or of INCLUDE) into OUT/include, for torch_musa to ship",
    )
    parser.add_argument("--pytorch", metavar="DIR", help="with --torch-headers: the kernels of a PyTorch checkout too")
    modes.add_argument("--query", metavar="NAME", help="print what becomes of a name or header")
    parser.add_argument("--allow-dirty", action="store_true", help="port in place although it cannot be undone")
    parser.add_argument("--report", metavar="FILE", help="write a report: FILE.json, FILE.sarif or FILE.html")
    parser.add_argument("--verify", action="store_true", help="exit with 1 if porting the result would change it")

    compatible = parser.add_argument_group("as in torch_musa's README")
    compatible.add_argument("--cuda-dir-path", metavar="DIR", help="the folder to port")
    compatible.add_argument(
        "--ignore-dir-paths", nargs="+", default=[], metavar="JSON", help='folders to leave out: \'["csrc/npu"]\''
    )
    compatible.add_argument(
        "--mapping-rule", nargs="+", default=[], metavar="JSON", help='rules of your own: \'{"cuda": "musa"}\''
    )
    compatible.add_argument("--drop-default-mapping", action="store_true", help="use only your own rules")
    compatible.add_argument("--mapping-dir-path", metavar="DIR", help="a folder of JSON files with rules of your own")
    return parser


def read_list(words: Sequence[str]) -> list[str]:
    """`["a", "b"]` as JSON, or as a shell leaves it when it was not quoted: `[a,`, `b]`."""
    text = " ".join(words)
    if not text:
        return []
    try:
        value = json.loads(text)
    except ValueError:
        if text.startswith("[") and not text.endswith("]"):
            raise _bad_option("--ignore-dir-paths", text, '["csrc/npu", "csrc/mlu"]') from None
        return [item for item in (part.strip() for part in text.strip("[]").split(",")) if item]
    if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        raise _bad_option("--ignore-dir-paths", text, '["csrc/npu", "csrc/mlu"]')
    return value


def read_mapping(words: Sequence[str]) -> dict[str, str]:
    """`{"a": "b"}` as JSON, or as a shell leaves it when it was not quoted: `{a:b}`, or the words `a:b`, `c:d`."""
    text = " ".join(words)
    if not text:
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        # bash expands unquoted braces that hold a comma into one word per pair.
        pairs = text[1:-1].split(",") if text.startswith("{") and text.endswith("}") else words
        return dict(_bare_pair(text, pair) for pair in pairs)
    if not isinstance(value, dict):
        raise _bad_option("--mapping-rule", text, '{"cuda": "musa"}')
    return value


def _bare_pair(text: str, pair: str) -> tuple[str, str]:
    find, colon, replacement = pair.partition(":")
    # A quotation mark means that JSON was meant, and is broken; and A::B:C could be cut in two ways.
    if not (find and colon) or ":" in replacement or '"' in pair:
        raise _bad_option("--mapping-rule", text, '{"cuda": "musa"}')
    return find.strip(), replacement.strip()


def _bad_option(option: str, found: str, wanted: str) -> PortingError:
    return PortingError(
        f"{option} cannot be read", found=found, wanted=wanted, hint=f"put it in single quotes: {option} '{wanted}'"
    )
