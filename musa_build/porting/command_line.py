"""The porting command: `musa-build port DIR`, also `python -m musa_build.porting` with torch_musa's options."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Optional

from ..errors import MusaBuildError, PortingError
from ..system.files import replace_atomically
from .api import PortOptions, absolute, not_idempotent, port, port_in_place, preview, validate_options
from .engine.announced_cuda import DEFAULT_EMULATED_CUDA
from .engine.hazards import DEFAULT_TARGET, TARGETS
from .engine.rules import mapping_files, rule_set
from .tree.output import MANIFEST, NOOP_CACHE, Stamp, stamp_of
from .tree.session import Change, PortReport, as_text

if TYPE_CHECKING:
    from .engine.rules import RuleSet

_EPILOG = """Examples:
  %(prog)s csrc                      csrc/k.cu becomes csrc_musa/k.mu
  %(prog)s csrc -o musa --rule A=B   another output, a rule of your own
  %(prog)s csrc --diff               what would change
  %(prog)s --analyze csrc            how much work a port is
  %(prog)s --query cudaMallocAsync   how a name is ported

Exit status: 0 when done, 1 if --check found something to do, --verify
something unstable or --query no such name, 2 on an error, 130 if interrupted.
"""
#: The width of the help. For the terminal's, argparse would load shutil, zlib, bz2 and lzma every time.
_WIDTH = 78
_STDERR = 2


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """argparse's help in the style of the other commands, whose help click writes (decision 25)."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_WIDTH, max_help_position=30)

    def start_section(self, heading: Optional[str]) -> None:
        super().start_section(heading and heading[0].upper() + heading[1:])

    def _format_text(self, text: str) -> str:
        return super()._format_text("\n".join(f"  {line}".rstrip() for line in text.splitlines()))

    def _get_help_string(self, action: argparse.Action) -> str:
        """Return the help as a sentence."""
        text = "Show this message and exit" if action.option_strings[:1] == ["-h"] else action.help or ""
        return f"{text[0].upper()}{text[1:]}."


class Parser(argparse.ArgumentParser):
    """A parser whose help and mistakes look like click's.

    `arguments` is what the usage line has after the options.
    """

    def __init__(self, prog: str, arguments: str, description: str, epilog: str) -> None:
        super().__init__(
            prog,
            usage=f"%(prog)s [OPTIONS] {arguments}".rstrip(),
            description=description,
            epilog=epilog,
            formatter_class=_Formatter,
        )

    def format_help(self) -> str:
        """Return the help, which begins with `Usage`."""
        return super().format_help().replace("usage: ", "Usage: ", 1)

    def error(self, message: str) -> NoReturn:
        """Print a mistake, and how to get help. Exit with 2."""
        usage = self.format_usage().replace("usage: ", "Usage: ", 1)
        print(f"{usage}Try '{self.prog} --help' for help.\n\nError: {message}", file=sys.stderr)
        raise SystemExit(2)


def options_from(arguments: argparse.Namespace, rules: RuleSet, rule_stamps: Mapping[str, Stamp]) -> PortOptions:
    """Return the validated options that `arguments` mean.

    Raises:
        PortingError: The options are contradictory or cannot be used.
    """
    if (arguments.folder is None) == (arguments.cuda_dir_path is None):
        raise PortingError("one folder of CUDA sources is needed", wanted="DIR, or --cuda-dir-path DIR")
    if arguments.report is not None and Path(arguments.report).suffix not in (".json", ".sarif", ".html"):
        raise PortingError("the report has no known form", found=arguments.report, wanted="FILE.json, .sarif or .html")
    folder = arguments.cuda_dir_path if arguments.folder is None else arguments.folder
    return validate_options(
        folder,
        rules,
        output=arguments.output,
        ignored=[*read_list(arguments.ignore_dir_paths), *earlier_ports(folder)],
        patterns=[pattern.rstrip("/") for pattern in arguments.ignore],
        include_comments=arguments.comments,
        include_strings=arguments.strings,
        keep_names=arguments.keep_names,
        emulated=None if arguments.emulate_cuda == "none" else arguments.emulate_cuda,
        target=arguments.arch,
        rule_stamps=rule_stamps,
    )


def earlier_ports(folder: str) -> list[str]:
    """Return the outputs of earlier ports below a folder, as absolute paths. They are no sources of a port."""
    found: list[str] = []
    root = str(absolute(folder))
    for path, folders, names in os.walk(root):
        if path != root and MANIFEST in names:
            found.append(path)
            folders.clear()
    return found


def rules_from(arguments: argparse.Namespace) -> RuleSet:
    """Return the rules that `arguments` name.

    Raises:
        PortingError: A rule or a rule file cannot be read.
    """
    mapping = read_mapping(arguments.mapping_rule)
    for pair in arguments.rule:
        find, equals, replacement = pair.partition("=")
        if not (find and equals):
            raise PortingError("--rule cannot be read", found=pair, wanted="--rule FROM=TO")
        if find in mapping:
            raise PortingError("a rule was given twice", found=repr(find), wanted="each text to look for once")
        mapping[find] = replacement
    return rule_set(mapping, None, not arguments.drop_default_mapping, _rule_files(arguments))


def rule_stamps_from(arguments: argparse.Namespace) -> dict[str, Stamp]:
    """Return the stamps of the files and the folder of the user's rules: a file that is added counts too."""
    folder = [] if arguments.mapping_dir_path is None else [Path(arguments.mapping_dir_path)]
    paths = map(absolute, (*folder, *_rule_files(arguments)))
    return {str(path): stamp_of(path.stat()) for path in paths if path.exists()}


def _rule_files(arguments: argparse.Namespace) -> list[Path]:
    folder = [] if arguments.mapping_dir_path is None else mapping_files(Path(arguments.mapping_dir_path))
    return [*map(Path, arguments.rules), *folder]


def parsed(argv: Sequence[str], prog: str) -> argparse.Namespace:
    """Parse the arguments of the porting command; end with a message if they cannot be read."""
    parser = parser_for(prog)
    for word in argv:
        if word.startswith("--") and word.endswith("=--"):  # argparse before Python 3.13 makes an empty list of it
            parser.error(f"argument {word[:-3]}: expected one argument")
    return parser.parse_args(argv)


def parser_for(prog: str) -> argparse.ArgumentParser:
    """Make the parser of the porting command's arguments."""
    description = "Port a folder of CUDA sources into <folder>_musa, beside it. The sources\nare only read."
    parser = Parser(prog, "[DIR]", description, _EPILOG)
    parser.add_argument("folder", nargs="?", metavar="DIR", help="the folder to port")
    parser.add_argument("-o", "--output", metavar="OUT", help="output folder (default: DIR_musa)")
    parser.add_argument("--ignore", action="append", default=[], metavar="GLOB", help="leave out what matches")
    parser.add_argument("--keep-names", action="store_true", help="do not rename .cu to .mu and .cuh to .muh")
    arch = "architecture whose limits decide which hazards are reported"
    parser.add_argument("--arch", default=DEFAULT_TARGET, choices=TARGETS, help=arch)

    rules = parser.add_argument_group("rules")
    rules.add_argument("--rule", action="append", default=[], metavar="A=B", help="replace A by B; wins over all else")
    rules.add_argument("--rules", action="append", default=[], metavar="FILE", help="rules of your own (.json, .rules)")
    rules.add_argument("--comments", action="store_true", help="port comments too")
    rules.add_argument("--strings", action="store_true", help="port string literals too")
    rules.add_argument(
        "--emulate-cuda",
        default=DEFAULT_EMULATED_CUDA,
        metavar="VERSION",
        help="the version that CUDA_VERSION and similar macros stand for (default %(default)s); none leaves them alone",
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
    modes.add_argument("--query", metavar="NAME", help="print how a name or header is ported")
    parser.add_argument("--allow-dirty", action="store_true", help="port in place although it cannot be undone")
    parser.add_argument("--report", metavar="FILE", help="write a report: FILE.json, FILE.sarif or FILE.html")
    parser.add_argument("--verify", action="store_true", help="exit with 1 if porting the result would change it")

    compatible = parser.add_argument_group("as in torch_musa's README")
    compatible.add_argument("--cuda-dir-path", metavar="DIR", help="the folder to port")
    compatible.add_argument(
        "--ignore-dir-paths", nargs="+", default=[], metavar="JSON", help="folders to leave out: '[\"csrc/npu\"]'"
    )
    compatible.add_argument(
        "--mapping-rule", nargs="+", default=[], metavar="JSON", help='rules of your own: \'{"cuda": "musa"}\''
    )
    compatible.add_argument("--drop-default-mapping", action="store_true", help="use only your own rules")
    compatible.add_argument("--mapping-dir-path", metavar="DIR", help="a folder of JSON files with rules of your own")
    return parser


def read_list(values: Sequence[str]) -> list[str]:
    """Read `["a", "b"]` as JSON, or as a shell leaves it without quotes: `[a,`, `b]`.

    Raises:
        PortingError: `values` is neither.
    """
    text = " ".join(values)
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


def read_mapping(values: Sequence[str]) -> dict[str, str]:
    """Read `{"a": "b"}` as JSON, or as a shell leaves it without quotes: `{a:b}`, or the arguments `a:b`, `c:d`.

    Raises:
        PortingError: `values` is neither.
    """
    text = " ".join(values)
    if not text:
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        # bash expands unquoted braces that hold a comma into one argument per pair.
        pairs = text[1:-1].split(",") if text.startswith("{") and text.endswith("}") else values
        return dict(_bare_pair(text, pair) for pair in pairs)
    if not isinstance(value, dict):
        raise _bad_option("--mapping-rule", text, '{"cuda": "musa"}')
    return value


def _bare_pair(text: str, pair: str) -> tuple[str, str]:
    find, colon, replacement = pair.partition(":")
    # A quotation mark means broken JSON; and A::B:C could be split in two ways.
    if not (find and colon) or ":" in replacement or '"' in pair:
        raise _bad_option("--mapping-rule", text, '{"cuda": "musa"}')
    return find.strip(), replacement.strip()


def _bad_option(option: str, found: str, wanted: str) -> PortingError:
    return PortingError(
        f"{option} cannot be read", found=found, wanted=wanted, hint=f"put it in single quotes: {option} '{wanted}'"
    )


IsClean = Callable[[Path], bool]
CacheEntry = Callable[[Sequence[str], Mapping[str, Stamp], str], bytes]


def run(argv: Sequence[str], prog: str, is_clean: Optional[IsClean], cache_entry: CacheEntry) -> int:
    """Run the command with the arguments `argv`. Return the exit code; print an error as one line on stderr.

    `cache_entry` returns the content of the no-op cache's file, by which the command is known when it is repeated.
    """
    arguments = parsed(argv, prog)
    try:
        code = _run(arguments, argv, is_clean, cache_entry)
        sys.stdout.flush()
        return code
    except MusaBuildError as error:
        from ..system.terminal import show  # it loads modules that a good run does not need

        show(error)
        return 2
    except OSError as error:
        if not error.filename:  # Python would try to write the rest of the buffer at its end, and fail again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            print(f"error: {error.filename or 'the output'} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; every file is as it was, or complete", file=sys.stderr)
        return 130


def _run(
    arguments: argparse.Namespace, argv: Sequence[str], is_clean: Optional[IsClean], cache_entry: CacheEntry
) -> int:
    rule_stamps = rule_stamps_from(arguments)  # before the rules are read
    rules = rules_from(arguments)
    if arguments.query is not None:
        from .report.query import answer, is_unknown

        print(answer(arguments.query, rules))
        return int(is_unknown(arguments.query, rules))
    if arguments.torch_headers is not None:
        return _port_torch_headers(arguments)
    if arguments.pytorch is not None:
        raise PortingError("a PyTorch checkout is ported with torch's headers", wanted="--torch-headers --pytorch DIR")
    options = options_from(arguments, rules, rule_stamps)
    if arguments.in_place:
        return _port_in_place(arguments, options, is_clean)
    if arguments.analyze or arguments.diff or arguments.check or arguments.dry_run:
        return _preview(arguments, options)
    return _port(arguments, argv, options, cache_entry)


@contextmanager
def _saying(text: str) -> Iterator[None]:
    """Say on a terminal what the block does, if it takes long. The block must print nothing."""
    if not os.isatty(_STDERR):
        yield
        return
    from ..system.waiting import Waiting  # elsewhere it is not needed

    with Waiting(sys.stderr) as waiting:
        waiting.begins(text)
        yield


def _port(arguments: argparse.Namespace, argv: Sequence[str], options: PortOptions, cache_entry: CacheEntry) -> int:
    with _saying(f"porting {options.source}"):
        outcome = port(options)
    report = outcome.report
    output_text = _print_report(report) + _print_next_steps(options)
    if arguments.report is not None or arguments.verify:
        with _saying("comparing sources and result"):
            changes = preview(options)[1]
        _write_report(arguments.report, report, changes, wrote=True)
        return _verify(options, changes) if arguments.verify else 0
    if outcome.stamps:
        again = report._replace(written=(), removed=()).summary + output_text[len(report.summary) :]
        entry = cache_entry(argv, outcome.stamps, again)
        path = options.output / NOOP_CACHE
        if path.is_file() or not path.exists():  # to write to a pipe would wait for a reader
            replace_atomically(path, entry)
    return 0


def _port_in_place(arguments: argparse.Namespace, options: PortOptions, is_clean: Optional[IsClean]) -> int:
    if not arguments.allow_dirty and not (is_clean is not None and is_clean(options.source)):
        raise PortingError(
            "porting in place could not be undone",
            found=f"{options.source} is not a clean git tree",
            hint="commit first, or say --allow-dirty",
        )
    with _saying(f"porting {options.source}"):
        report = port_in_place(options)
    _print_report(report)
    return 0


def _port_torch_headers(arguments: argparse.Namespace) -> int:
    from .pytorch.headers import port_torch_headers, torch_include

    include = Path(arguments.torch_headers) if arguments.torch_headers else torch_include()
    output = absolute(arguments.output or "generated_cuda_compatible")
    checkout = None if arguments.pytorch is None else absolute(arguments.pytorch)
    with _saying(f"porting {include}"):
        report = port_torch_headers(absolute(include), output, checkout)
    _print_report(report)
    return 0


def _print_report(report: PortReport) -> str:
    text = as_text(report)
    sys.stderr.write(text)
    return text


def _print_next_steps(options: PortOptions) -> str:
    """Print what a user does with the output, and what was left out as an output of an earlier port."""
    folder = options.output.name
    ports = [path.name for path in options.ignored if (path / MANIFEST).is_file() and path != options.output]
    left_out = f"left out, the output of an earlier port: {', '.join(ports)}\n" if ports else ""
    text = f"""{left_out}Next:
  setup.py: list the sources of {folder} in musa_build.MUSAExtension, with the key mcc for nvcc's flags
  or leave setup.py and your sources as they are: FORCE_MUSA=1 pip wheel --no-build-isolation --no-deps .
  Python files that name cuda: musa-converter -r DIR changes them in place; with --diff, it only shows how
"""
    sys.stderr.write(text)
    return text


def _preview(arguments: argparse.Namespace, options: PortOptions) -> int:
    from .report import formats

    with _saying(f"porting {options.source}, without writing"):
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
    with _saying("porting the result again"):
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
        with _saying(f"writing {path}"):
            replace_atomically(path, forms[path.suffix]().encode("utf-8", "replace"))
    except OSError as error:
        raise PortingError("the report cannot be written", found=f"{path}: {error.strerror}") from error
