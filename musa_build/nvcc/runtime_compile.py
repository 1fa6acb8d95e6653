"""Translate a compilation of NVRTC for MTRTC: the options by nvcc's table, and the inline PTX of the texts.

The toolkit's libnvrtc runs this with a folder, which has the options (`options`), the texts of the program and of its
headers (`text.0`, `text.1` ...), the program's name (`name`) and the device's architecture. Texts are translated in
place; `arguments` are MTRTC's. Options and arguments end with a zero byte each.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping

from ..errors import MusaBuildError
from ..toolchain.nvcc_flags import translate_parsed
from . import command, inline_ptx, plan, refused
from .refused import NvccError
from .toolkit import Toolkit

_REFUSED = 2
#: NVRTC's options that nvcc lacks: about NVIDIA's front end, or about what a compilation keeps.
_DROPPED = frozenset(
    (
        *(
            "builtin-initializer-list",
            "builtin-move-forward",
            "minimal",
            "no-source-include",
            "no-cache",
            "version-ident",
        ),
        *("pch", "create-pch", "use-pch", "pch-dir", "pch-verbose", "pch-messages", "instantiate-templates-in-pch"),
        *("unicode", "ewp", "fast-compile", "modify-stack-limit", "device-int128", "device-float128", "ptxas-options"),
        "extensible-whole-program",
    )
)
_DEVICE_BY_DEFAULT = ("device-as-default-execution-space", "default-device")


def main(root: str, folder: str) -> int:
    """Translate the files in `folder`. Return the exit status: 2 if an option is refused, with a message."""
    try:
        with open(f"{folder}/options", encoding="utf-8", errors="surrogateescape") as stream:
            options = stream.read().split("\0")[:-1]
        with open(f"{folder}/architecture", encoding="ascii") as stream:
            architecture = stream.read()
        with open(f"{folder}/name", encoding="utf-8", errors="surrogateescape") as stream:
            name = stream.read()
        toolkit = Toolkit.load(root)
        arguments = source_include(options, name) + mtrtc_options(options, toolkit, os.environ, architecture)
        arguments += _translate_texts(folder, arguments, toolkit)
    except (NvccError, MusaBuildError) as error:
        print(error, file=sys.stderr)
        return _REFUSED
    with open(f"{folder}/arguments", "w", encoding="utf-8", errors="surrogateescape") as stream:
        stream.write("".join(f"{word}\0" for word in arguments))
    return 0


def source_include(options: list[str], name: str) -> list[str]:
    """Return the option for the folder of the program's name, where NVRTC looks for headers in quotes."""
    if any(_name(word.strip()) == "no-source-include" for word in options):
        return []
    return ["-iquote", os.path.abspath(os.path.dirname(name))]


def mtrtc_options(options: list[str], toolkit: Toolkit, environment: Mapping[str, str], architecture: str) -> list[str]:
    """Return MTRTC's options for NVRTC's. `architecture` is the device's ("mp_22"), or empty.

    Raises:
        NvccError: NVRTC has no such option.
        SettingError: An option has no translation.
    """
    words = [word.strip() for word in options]
    own = [word for word in words if _name(word) in _DEVICE_BY_DEFAULT]
    parsed = command.read([word for word in words if word and _name(word) not in (*_DROPPED, *_DEVICE_BY_DEFAULT)], {})
    if parsed.inputs:
        raise NvccError("NVRTC has no such option", found=parsed.inputs[0], wanted="an option that begins with -")
    refused.check(parsed.own)
    flags, _ = translate_parsed(parsed.flags, "", toolkit.mcc_version)
    named = plan.architectures(toolkit, environment, default=architecture.removeprefix("mp_"))
    return [
        f"--gpu-architecture=mp_{named[0]}",
        *(["--device-as-default-execution-space"] if own else []),
        *plan.first_flags(toolkit, flags),
        "-D__CUDACC_RTC__=1",
        *flags,
        *("-isystem", f"{toolkit.root}/include"),
    ]


def _name(option: str) -> str:
    return option.lstrip("-").partition("=")[0].replace("_", "-") if option.startswith("-") else ""


def _translate_texts(folder: str, arguments: list[str], toolkit: Toolkit) -> list[str]:
    """Translate the PTX of the texts in place. Return the options that show MTRTC the translated headers on disk."""
    folders = inline_ptx.include_folders(arguments)
    flags: list[str] = []
    for name in sorted(name for name in os.listdir(folder) if name.startswith("text.")):
        path = f"{folder}/{name}"
        overlay = inline_ptx.overlay(path, folders, toolkit.root, toolkit.sdk)
        flags += overlay.flags
        print(*(each.text for each in overlay.left), sep="\n", end="\n" if overlay.left else "", file=sys.stderr)
        if path in overlay.shown:
            shutil.copyfile(overlay.shown[path], path)
    return flags
