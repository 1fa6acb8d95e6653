"""argv -> Invocation.

Only what clang's own driver cannot know is taken out here: MUSA's flags, the language of each input, and what belongs
to the link. Everything else is handed to clang's driver untouched (see frontend.py), so that ordinary flags are
accepted, refused and explained exactly as clang does. The MUSA flags come from public build scripts of Moore Threads
and its users; flags that the simulator cannot honour are refused by name, never ignored silently.
"""

from __future__ import annotations

import enum
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from .errors import DriverError


@dataclass(frozen=True)
class Architecture:
    """What the compiler knows of a target."""

    number: int  # the value of __MUSA_ARCH__ in the device pass
    static_shared_limit: int  # bytes


#: mp_10's number is inferred, mp_22's limit a guess (the runtime's table says the same); the rest is documented.
ARCHITECTURES = {
    "mp_10": Architecture(100, 28672),
    "mp_21": Architecture(210, 28672),
    "mp_22": Architecture(220, 49152),
    "mp_31": Architecture(310, 196608),
}

#: What is built when no architecture is named. Old SDKs took mp_10; what newer ones take is not known, and the
#: simulator's default device is an mp_22.
DEFAULT_ARCH = "mp_22"


class Language(enum.Enum):
    """What an input is compiled as."""

    MUSA = "musa"
    HOST = "host"
    LINK = "link"


class Stage(enum.Enum):
    """Where the compilation of each input ends."""

    PREPROCESS = "-E"
    DEPENDENCIES = "-M"
    SYNTAX = "-fsyntax-only"
    ASSEMBLY = "-S"
    OBJECT = "-c"
    LINK = "link"


@dataclass(frozen=True)
class Input:
    path: str
    language: Language
    #: the word after `-x` when the user gave one, for clang's benefit
    explicit: str = ""


@dataclass(frozen=True)
class Invocation:
    """One mcc command line, understood."""

    stage: Stage
    inputs: tuple[Input, ...]
    output: str
    archs: tuple[str, ...]
    compile_args: tuple[str, ...]  # for clang's driver, in the order given
    link_args: tuple[str, ...]  # for the host linker, inputs included, in the order given
    device_only: bool = False
    device_opt: str = ""  # "3" of -Od3
    checks: tuple[str, ...] = ()  # --sim-check: what the simulator watches for while kernels run
    show_version: bool = False
    dry_run: bool = False
    verbose: bool = False
    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # inputs that are not there
    device_link: bool = False  # -dlink
    questions: tuple[str, ...] = ()  # what clang only answers: -dumpmachine, -print-..., --help


_HOST_SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C"}
_STAGE_FLAGS = {
    "-E": Stage.PREPROCESS,
    "-M": Stage.DEPENDENCIES,
    "-MM": Stage.DEPENDENCIES,
    "-fsyntax-only": Stage.SYNTAX,
    "-S": Stage.ASSEMBLY,
    "-c": Stage.OBJECT,
}
#: an early stage wins over a late one, as in clang
_STAGE_ORDER = list(Stage)
_TAKES_VALUE_COMPILE = {
    *("-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-D", "-U", "-MF", "-MT", "-MQ"),
    *("-Xclang", "-Xpreprocessor", "-target", "-isysroot", "-iprefix", "--param"),
}
_TAKES_VALUE_LINK = {"-L", "-l", "-Xlinker", "-z", "-T", "-u", "-rpath"}
_LINK_FLAGS = {"-shared", "--shared", "-static", "-rdynamic", "-s", "-nostdlib", "-nodefaultlibs", "-pie", "-no-pie"}
_BOTH_FLAGS = {"-pthread", "-m64", "-fopenmp", "-g"}
_QUESTIONS = ("-dumpmachine", "-dumpversion", "-print-", "--print-", "--help", "-help")
#: Without meaning here: the target is always the CPU, which has fp64 and keeps denormals (docs say so).
_SWALLOWED = {
    *("-mtgpu", "-fno-gpu-rdc", "-rdc=false", "--cuda-compile-host-device"),
    *("-mathx-disable-fp64", "-fmusa-flush-denormals-to-zero"),
    # as in nvcc: it allows shortcuts that the CPU does not need, and never drops NaN, as clang's -ffast-math does
    "-use_fast_math",
}
_NO_RDC = "relocatable device code: define device functions in the file that calls them, or in a header"
_NOT_SIMULATED = {
    "-rdc=true": _NO_RDC,
    "-dc": _NO_RDC,
    "-fgpu-rdc": _NO_RDC,
    "-cuda_wrapper": "CUDA-source compatibility mode",
}


def expand_response_files(argv: list[str]) -> list[str]:
    """Replace each `@file` by the words in it, quoted as for a shell; a missing file stays an input, as in clang."""
    words: list[str] = []
    for word in argv:
        if word.startswith("@") and Path(word[1:]).is_file():
            words += expand_response_files(shlex.split(Path(word[1:]).read_text()))
        else:
            words.append(word)
    return words


def _language(path: str, explicit: str, mtgpu: bool, device_only: bool) -> Language:
    suffix = Path(path).suffix
    if explicit == "musa":
        return Language.MUSA
    if explicit in ("c++", "c", "c++-header"):
        return Language.HOST
    if explicit:
        raise DriverError(f"language not recognized: '{explicit}'")
    if suffix in (".mu", ".muh"):
        return Language.MUSA
    if suffix == ".cu":
        # A bare `.cu` is CUDA to mcc's clang, which knows no mp_XX; -x musa or -mtgpu make it MUSA, and device-only
        # builds of `.cu` are seen in the wild without either.
        if mtgpu or device_only:
            return Language.MUSA
        raise DriverError(f"'{path}' is CUDA to mcc, not MUSA: pass '-x musa' before it or rename it to .mu")
    if suffix in _HOST_SUFFIXES:
        return Language.HOST
    return Language.LINK


def _check_arch(name: str) -> str:
    if name not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise DriverError(f"unsupported MUSA gpu architecture: {name} (the simulator has {known})")
    return name


#: in the order of the bits in runtime/checks.h
CHECKS = ("memory", "race", "init", "sync", "leaks", "host")


def parse_checks(text: str, origin: str) -> tuple[str, ...]:
    """`memory,race` as a tuple; `all` is every check but `host`, `none` and the empty text are no check.

    Raises DriverError for anything else, naming `origin`, the flag or variable that it came from.
    """
    names = [name.strip() for name in text.split(",") if name.strip() not in ("", "none")]
    for name in names:
        if name not in (*CHECKS, "all"):
            raise DriverError(f"'{name}' in {origin} is no check of the simulator: it has {', '.join(CHECKS)} and all")
    return tuple(name for name in CHECKS if name in names or ("all" in names and name != "host"))


class _Words:
    """The command line as a stream that can give a flag's value."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._at = 0

    def __iter__(self) -> _Words:
        return self

    def __next__(self) -> str:
        if self._at >= len(self._words):
            raise StopIteration
        self._at += 1
        return self._words[self._at - 1]

    def value_of(self, flag: str) -> str:
        try:
            return next(self)
        except StopIteration:
            raise DriverError(f"argument to '{flag}' is missing (expected 1 value)") from None


def parse(argv: list[str]) -> Invocation:
    """Understand a command line.

    Raises DriverError for what no compiler could do: a value that is missing, an architecture that does not exist, a
    flag whose meaning the simulator cannot give. An input that is not there is only noted: clang names unknown flags
    first, and `-gencode arch=...` should complain about the flag before its value.
    """
    words = expand_response_files(argv)
    mtgpu = "-mtgpu" in words
    device_only = any(flag in words for flag in ("--cuda-device-only", "--musa-device-only"))
    stage = Stage.LINK
    explicit = ""
    output = device_opt = ""
    inputs: list[Input] = []
    archs: list[str] = []
    compile_args: list[str] = []
    link_args: list[str] = []
    warnings: list[str] = []
    questions: list[str] = []
    missing: list[str] = []
    version = dry_run = verbose = device_link = False
    checks = parse_checks(os.environ.get("MUSA_SIM_CHECK", ""), "MUSA_SIM_CHECK")
    stream = _Words(words)
    for word in stream:
        if word == "-o":
            output = stream.value_of(word)
        elif word == "-x":
            explicit = stream.value_of(word)
            explicit = "" if explicit == "none" else explicit
        elif word in ("--cuda-gpu-arch", "--offload-arch"):
            archs.append(_check_arch(stream.value_of(word)))
        elif word.startswith(("--cuda-gpu-arch=", "--offload-arch=")):
            archs += [_check_arch(name) for name in word.split("=", 1)[1].split(",")]
        elif word in ("--cuda-device-only", "--musa-device-only"):
            pass
        elif word in _STAGE_FLAGS:
            stage = min(stage, _STAGE_FLAGS[word], key=_STAGE_ORDER.index)
            if word in ("-M", "-MM"):
                compile_args.append(word)
        elif word in ("--version", "-version"):
            version = True
        elif word.startswith(_QUESTIONS):
            questions.append(word)
        elif word == "-v":
            verbose = True
        elif word == "-###":
            dry_run = True
        elif word == "-dlink":
            device_link = True
        elif word == "-mllvm":
            stream.value_of(word)  # options of Moore Threads' own back end; the CPU's has none of them
        elif word in ("-ccbin", "--compiler-bindir"):
            # torch_musa's JIT passes it although mcc has no such flag; without it that path could not be run.
            warnings.append(f"argument unused during compilation: '{word} {stream.value_of(word)}'")
        elif word in _NOT_SIMULATED:
            raise DriverError(f"'{word}': the simulator does not have {_NOT_SIMULATED[word]}")
        elif word in _SWALLOWED:
            pass
        elif word.startswith("--sim-check="):
            checks = parse_checks(word.split("=", 1)[1], "--sim-check")
        elif word.startswith("-Od") and word[3:].isdigit():
            device_opt = word[3:]
        elif word == "-Ofast":  # newer clangs than mcc's warn about it
            compile_args += ["-O3", "-ffast-math"]
        elif word.startswith("--musa-path="):
            pass  # this mcc belongs to one SDK
        elif word.startswith("-fplugin="):
            raise DriverError(f"'{word}': the simulator does not load compiler plug-ins")
        elif word in _TAKES_VALUE_LINK:
            link_args += [word, stream.value_of(word)]
        elif word in _TAKES_VALUE_COMPILE:
            compile_args += [word, stream.value_of(word)]
        elif word in _LINK_FLAGS or word.startswith(("-L", "-l", "-Wl,")):
            link_args.append("-shared" if word == "--shared" else word)
        elif word.startswith("-") and word != "-":
            compile_args.append(word)
            if word in _BOTH_FLAGS or word.startswith("-fsanitize"):
                link_args.append(word)
        else:
            if not Path(word).exists() and not (word == "-" and explicit):
                missing.append(word)
                continue
            inputs.append(Input(word, _language(word, explicit, mtgpu, device_only), explicit))
            link_args.append(word)
    if device_only and stage is Stage.LINK:
        stage = Stage.OBJECT  # there is no host code to link: the image is the result
    invocation = Invocation(
        stage=stage,
        inputs=tuple(inputs),
        output=output,
        archs=tuple(dict.fromkeys(archs)) or (os.environ.get("MUSA_SIM_ARCH", "") or DEFAULT_ARCH,),
        compile_args=tuple(compile_args),
        link_args=tuple(link_args),
        device_only=device_only,
        device_opt=device_opt,
        checks=checks,
        show_version=version,
        dry_run=dry_run,
        verbose=verbose,
        warnings=tuple(warnings),
        missing=tuple(missing),
        device_link=device_link,
        questions=tuple(questions),
    )
    _check(invocation)
    return invocation


def _check(invocation: Invocation) -> None:
    for arch in invocation.archs:
        _check_arch(arch)
    if invocation.show_version or invocation.questions:
        return
    if not invocation.inputs and not invocation.missing:
        if invocation.verbose or invocation.dry_run:
            return
        raise DriverError("no input files")
    compiled = [item for item in invocation.inputs if item.language is not Language.LINK]
    if invocation.device_link and compiled:
        raise DriverError(f"'-dlink' links objects; '{compiled[0].path}' is a source")
    one_output = invocation.output and invocation.stage is not Stage.LINK
    if one_output and len(compiled) > 1:
        raise DriverError("cannot specify -o when generating multiple output files")
    if invocation.device_only and len(invocation.archs) > 1 and invocation.output:
        raise DriverError("cannot specify -o when generating multiple device images")
