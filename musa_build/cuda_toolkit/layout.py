"""Plan the files of a toolkit: NVIDIA's folders with the texts of this package. This module is pure."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from ..nvcc import answers
from ..nvcc.toolkit import FACTS, Toolkit
from ..system.host_machine import cuda_target
from .headers import Constants, HeaderFacts, header, own_headers, sources_of_headers
from .libraries import libraries
from .names import CudaNames

_NVCC = """\
#!/bin/sh
# {digest}
case "$1$#" in
--version1 | -V1)
    cat <<'END'
{version}END
    exit 0 ;;
esac
exec {python} -IS {main} "$@"
"""
_MAIN = """\
import sys

sys.path.insert(0, {code!r})
from musa_build.nvcc.{module} import main

sys.exit(main({root!r}, {arguments}))
"""
_OTHER_PROGRAM = """\
#!/bin/sh
case "$*" in
*--version* | *-V*) echo "{name}: NVIDIA (R) tool (musa_build's: there is none for MUSA)"
    echo "Cuda compilation tools, release {version}, V{version}.{build}" ;;
*) echo "{name}: this CUDA toolkit compiles for MUSA, which has no such program" >&2
    exit 1 ;;
esac
"""
_OTHER_PROGRAMS = ("ptxas", "nvlink", "fatbinary", "cuobjdump", "nvdisasm", "bin2c", "cudafe++", "nvprune")
#: The folder of nvcc's own code.
CODE = "share/musa_build_nvcc"


@dataclass(frozen=True)
class File:
    """A file of the toolkit: a link to `link`, else a file with `content`."""

    content: bytes = b""
    link: str = ""
    is_program: bool = False


@dataclass(frozen=True)
class Sdk:
    """The SDK's parts that a toolkit shows.

    Attributes:
        headers: The paths of its headers, relative to its include folder.
        libraries: The names in its library folder.
    """

    root: str
    headers: Collection[str]
    libraries: Collection[str]


def toolkit_files(
    toolkit: Toolkit,
    sdk: Sdk,
    names: CudaNames,
    header_facts: Mapping[str, HeaderFacts],
    header_rules: Mapping[str, str],
    constants: Constants,
    own_files: Mapping[str, bytes],
    python: str,
    digest: str,
) -> dict[str, File]:
    """Map each path of the toolkit to its file. Later rows win.

    Args:
        toolkit: The facts that nvcc needs.
        header_facts: CUDA header -> its table in tables/headers.toml.
        header_rules: CUDA header -> MUSA's, from the porting rules.
        constants: CUDA's enumerators and numbers by type: those that the SDK lacks are declared.
        own_files: Files that are copied as they are, by their paths in the toolkit.
        python: The interpreter that runs nvcc.
        digest: A text that changes with everything that nvcc does: compiler caches read the program.
    """
    version = (*(int(part) for part in toolkit.version.split(".")), int(toolkit.build))
    include, sdk_include = "include", f"{sdk.root}/include"
    counterparts = sources_of_headers(header_facts, header_rules, sdk.headers)
    texts = {
        cuda: header(cuda, musa, header_facts.get(cuda, HeaderFacts()), counterparts.keys(), sdk_include)
        for cuda, musa in counterparts.items()
    }
    # Programs ask by these macros whether they include a header: an alias would say yes everywhere.
    guards = {name for facts in header_facts.values() for name in facts.guards}
    aliases = {cuda: musa for cuda, musa in names.aliases.items() if cuda not in guards}
    texts |= own_headers(CudaNames(aliases, names.tags), constants, version)
    found = {
        f"{include}/{seen}": File(link=f"{sdk_include}/{name}")
        for name in sdk.headers
        for seen in (name, name.replace("thrust/system/musa/", "thrust/system/cuda/"))
    }
    found |= {f"{include}/{name}": File(text.encode()) for name, text in texts.items()}
    found |= {name: File(content) for name, content in own_files.items()}
    found |= dict(_library_files(sdk, toolkit.root))
    found |= dict(_program_files(toolkit, python, digest))
    release = f"{toolkit.version}.{toolkit.build}"
    versions = {name: {"name": name, "version": release} for name in ("cuda", "cuda_cudart", "cuda_nvcc")}
    return found | {
        "lib": File(link="lib64"),
        f"targets/{cuda_target()}/include": File(link="../../include"),
        f"targets/{cuda_target()}/lib": File(link="../../lib64"),
        "nvvm/libdevice/libdevice.10.bc": File(),
        "version.json": File(json.dumps(versions, indent=2).encode() + b"\n"),
        "version.txt": File(f"CUDA Version {release}\n".encode()),
        FACTS: File(toolkit.save().encode()),
    }


def _library_files(sdk: Sdk, root: str) -> Iterator[tuple[str, File]]:
    for library in libraries(f"{sdk.root}/lib", sdk.libraries, root):
        yield f"lib64/{library.name}", File(library.content, library.link)
        if library.name in ("libcuda.so", "libnvidia-ml.so"):
            yield f"lib64/stubs/{library.name}", File(link=f"../{library.name}")


def _program_files(toolkit: Toolkit, python: str, digest: str) -> Iterator[tuple[str, File]]:
    code = f"{toolkit.root}/{CODE}"
    main = shlex.quote(f"{code}/nvcc_main.py")
    nvcc = _NVCC.format(digest=digest, version=answers.version(toolkit), python=shlex.quote(python), main=main)
    yield "bin/nvcc", File(nvcc.encode(), is_program=True)
    for name, module, arguments in (
        ("nvcc_main.py", "main", "sys.argv[1:]"),
        ("nvrtc_main.py", "runtime_compile", "sys.argv[1]"),
    ):
        text = _MAIN.format(code=code, root=toolkit.root, module=module, arguments=arguments)
        yield f"{CODE}/{name}", File(text.encode())
    yield "bin/crt/link.stub", File()
    for name in _OTHER_PROGRAMS:
        answer = _OTHER_PROGRAM.format(name=name, version=toolkit.version, build=toolkit.build)
        yield f"bin/{name}", File(answer.encode(), is_program=True)
