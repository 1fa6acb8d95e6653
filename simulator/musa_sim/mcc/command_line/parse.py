"""Parse mcc's command line into an Invocation.

Only what clang's driver cannot know is parsed here: MUSA's flags, the language of each input, and what belongs to the
link. Everything else goes to clang's driver unchanged (clang/cc1.py), so ordinary flags are accepted, refused and
explained exactly as by clang. The MUSA flags are from public build scripts of Moore Threads and its users. A flag that
the simulator cannot honour is refused by name, never ignored silently.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..errors import DriverError
from . import flags
from .invocation import DEFAULT_ARCH, Input, Invocation, Language, Stage, check_architecture, parse_checks

_HOST_SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".i", ".ii"}


def expand_response_files(argv: list[str]) -> list[str]:
    """Replace each `@file` by the words in it, quoted as for a shell; a missing file stays an input, as in clang."""
    words: list[str] = []
    for word in argv:
        if word.startswith("@") and Path(word[1:]).is_file():
            import shlex  # few command lines have response files

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
    version = dry_run = verbose = device_link = relocatable = per_thread = False
    checks = parse_checks(os.environ.get("MUSA_SIM_CHECK", ""), "MUSA_SIM_CHECK")
    stream = _Words(words)
    for word in stream:
        relocatable = flags.RELOCATABLE.get(word, relocatable)
        if word == "-o":
            output = stream.value_of(word)
        elif word == "-x":
            explicit = stream.value_of(word)
            explicit = "" if explicit == "none" else explicit
        elif word in ("--cuda-gpu-arch", "--offload-arch"):
            archs.append(check_architecture(stream.value_of(word)))
        elif word.startswith(("--cuda-gpu-arch=", "--offload-arch=")):
            archs += [check_architecture(name) for name in word.split("=", 1)[1].split(",")]
        elif word in ("--cuda-device-only", "--musa-device-only"):
            pass
        elif word in flags.STAGE_FLAGS:
            stage = min(stage, flags.STAGE_FLAGS[word], key=flags.STAGE_ORDER.index)
            if word in ("-M", "-MM"):
                compile_args.append(word)
        elif word in ("--version", "-version"):
            version = True
        elif word.startswith(flags.QUESTIONS):
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
        elif word in flags.OF_DEVICE_CODE:
            compile_args += ["-Xclang", word]
        elif word.startswith(flags.DEFAULT_STREAM):
            per_thread = _is_per_thread(word)
        elif word.partition("=")[0] in flags.WITHOUT_EFFECT:
            warnings.append(f"'{word}' has no effect: {flags.WITHOUT_EFFECT[word.partition('=')[0]]}")
        elif word in flags.NOT_SIMULATED:
            raise DriverError(f"'{word}': the simulator does not have {flags.NOT_SIMULATED[word]}")
        elif word in flags.SWALLOWED or word in flags.RELOCATABLE:
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
        elif word in flags.TAKES_VALUE_LINK:
            link_args += [word, stream.value_of(word)]
        elif word in flags.TAKES_VALUE_COMPILE:
            compile_args += [word, stream.value_of(word)]
        elif word in flags.LINK_FLAGS or word.startswith(("-L", "-l", "-Wl,")):
            link_args.append("-shared" if word == "--shared" else word)
        elif word.startswith("-") and word != "-":
            compile_args.append(word)
            if word in flags.BOTH_FLAGS or word.startswith("-fsanitize"):
                link_args.append(word)
        else:
            if not Path(word).exists() and not (word == "-" and explicit):
                missing.append(word)
                continue
            inputs.append(Input(word, _language(word, explicit, mtgpu, device_only), explicit))
            link_args.append(word)
    # as in nvcc, the macro on the command line is for launches too, whatever the flag says
    defined = _last_definition(compile_args, flags.PER_THREAD_MACRO)
    if per_thread or defined:
        # clang's driver passes it on for HIP alone
        compile_args += ["-Xclang", f"{flags.DEFAULT_STREAM}per-thread"]
        compile_args += [] if defined else [f"-D{flags.PER_THREAD_MACRO}=1"]
    if device_only and stage is Stage.LINK and not device_link:
        stage = Stage.OBJECT  # there is no host code to link: the image is the result
    invocation = Invocation(
        stage=stage,
        inputs=tuple(inputs),
        output=output,
        named_archs=tuple(dict.fromkeys(archs)),
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
        is_relocatable=relocatable,
        questions=tuple(questions),
    )
    _check(invocation)
    return invocation


def _is_per_thread(word: str) -> bool:
    """Read -fgpu-default-stream=."""
    value = word.partition("=")[2]
    if value not in flags.DEFAULT_STREAMS:
        raise DriverError(f"'{word}': the default stream is one of {', '.join(flags.DEFAULT_STREAMS)}")
    return value == "per-thread"


def _last_definition(args: Sequence[str], macro: str) -> bool:
    """Whether -D defines the macro, and no later -U takes it back."""
    defined = False
    words = iter(args)
    for word in words:
        flag, text = word[:2], word[2:]
        if word in flags.TAKES_VALUE_COMPILE:
            text = next(words, "")
        if flag in ("-D", "-U") and text.partition("=")[0] == macro:
            defined = flag == "-D"
    return defined


def _check(invocation: Invocation) -> None:
    for arch in invocation.archs:
        check_architecture(arch)
    if invocation.show_version or invocation.questions:
        return
    if not invocation.inputs and not invocation.missing:
        if invocation.verbose or invocation.dry_run:
            return
        raise DriverError("no input files")
    if _asks_for_object_as_llvm(invocation):
        raise DriverError("'-emit-llvm' is only simulated together with '--cuda-device-only -S'")
    compiled = [item for item in invocation.inputs if item.language is not Language.LINK]
    if invocation.device_link and compiled:
        raise DriverError(f"'-dlink' links objects; '{compiled[0].path}' is a source")
    if invocation.output and not invocation.dry_run:
        overwritten = next((item.path for item in invocation.inputs if _is_same_file(item.path, invocation.output)), "")
        if overwritten:
            raise DriverError(f"the output '{invocation.output}' is the input '{overwritten}', which would be lost")
    one_output = invocation.output and invocation.stage is not Stage.LINK
    if one_output and len(compiled) > 1:
        raise DriverError("cannot specify -o when generating multiple output files")
    if invocation.device_only and len(invocation.archs) > 1 and invocation.output:
        raise DriverError("cannot specify -o when generating multiple device images")
    if invocation.device_only and len(invocation.archs) > 1 and invocation.stage is Stage.ASSEMBLY:
        raise DriverError(
            f"'-S --cuda-device-only' writes one text, for one architecture; not {', '.join(invocation.archs)}"
        )


def _is_same_file(one: str, other: str) -> bool:
    """Whether two names are those of one regular file. Devices and pipes can be read and written."""
    return Path(one).is_file() and Path(other).is_file() and Path(one).samefile(other)


def _asks_for_object_as_llvm(invocation: Invocation) -> bool:
    if "-emit-llvm" not in invocation.compile_args or invocation.dry_run:
        return False
    ends_earlier = invocation.stage in (Stage.PREPROCESS, Stage.DEPENDENCIES, Stage.SYNTAX)
    is_device_text = invocation.device_only and invocation.stage is Stage.ASSEMBLY
    compiles_musa = any(item.language is Language.MUSA for item in invocation.inputs)
    return compiles_musa and not ends_earlier and not is_device_text
