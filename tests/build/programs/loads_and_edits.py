"""Extensions of `load` and `load_inline` in a project: the function that the argument names."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from demo_project import check_kernel

from musa_build import load, load_inline
from musa_build.errors import MusaBuildError

COMMON = Path("include/common.h")


def go(**options):
    return load("demo", ["csrc/bindings.cpp", "csrc/kernel.mu"], extra_include_paths=["include"], **options)


def flags_headers_and_sources():
    module = go(verbose=True)
    check_kernel(module)
    assert go() is module
    flagged = go(extra_musa_cflags=["-DMCC_FLAG=3"], extra_cflags=["-DCXX_FLAG=2"])
    assert flagged.flags() == (1, 2, 3, 0) and module.flags() == (1, 0, 0, 0)
    COMMON.write_text("#define OFFSET 8\n")
    edited = go()
    check_kernel(edited, offset=8)
    assert edited.flags() == (8, 0, 0, 0) and module.flags() == (1, 0, 0, 0)


def keys_of_directories():
    from musa_build.builder.context import BuildContext
    from musa_build.builder.jit_plan import JitJob, job_key
    from musa_build.builder.machine import Machine
    from musa_build.environment.torch_info import TorchInfo, TorchMusa

    def key(sources=("/a/kernel.mu", "/a/bindings.cpp"), flags=(), link=(), include=(), standalone=False, **changes):
        job = JitJob.of("demo", sources, dict(flags), list(link), list(include), standalone=standalone)
        context = BuildContext.find(Machine.read(), [job.spec])
        changed = {
            name: replace(getattr(context, name) or TorchMusa(Path("/")), **fields) for name, fields in changes.items()
        }
        context = replace(context, **changed)
        return job_key(job, context, context.toolchains(job.spec))

    first = key()
    assert key() == first
    keys = {
        "source": key(sources=("/a/kernel.mu", "/b/bindings.cpp")),
        "flag of C++": key(flags={"cxx": ["-DA"]}),
        "flag of mcc": key(flags={"mcc": ["-DA"]}),
        "flag of nvcc": key(flags={"nvcc": ["--ftz=true"]}),
        "flag of the linker": key(link=["-lm"]),
        "include directory": key(include=["/a/include"]),
        "program": key(standalone=True),
        "torch": key(torch={"version": "0"}),
        "torch's headers": key(torch={"include_dirs": ()}),
        "ABI": key(torch={"cxx11_abi": not TorchInfo.find().cxx11_abi}),
        "torch_musa": key(torch_musa={"root": Path.cwd() / "torch_musa"}),
        "SDK": key(sdk={"version": "0"}),
        "compiler": key(cxx={"command": ("clang++",)}),
    }
    os.environ["TORCH_MUSA_ARCH_LIST"] = "21"
    keys["architecture"] = key()
    os.environ["TORCH_MUSA_ARCH_LIST"] = "22"
    sys.version += "0"
    keys["Python"] = key()
    same = [name for name, value in keys.items() if value == first]
    assert not same, same
    assert len(set(keys.values())) == len(keys)


def an_older_compiler():
    def compiler(flag):
        path = Path("c++")
        path.write_text(f'#!/bin/sh\nexec g++ {flag} "$@"\n')
        path.chmod(0o755)
        os.utime(path, (1e9, 1e9))

    os.environ["CXX"] = str(Path("c++").absolute())
    compiler("-DCXX_FLAG=5")
    assert go().flags() == (1, 5, 0, 0)
    assert go().flags() == (1, 5, 0, 0)
    compiler("-DCXX_FLAG=61")
    assert go().flags() == (1, 61, 0, 0), go().flags()


def old_libraries_and_directories():
    first = go()
    here = Path(first.__file__).parent
    for offset in (2, 3, 4, 5):
        COMMON.write_text(f"#define OFFSET {offset}\n")
        child = os.fork()
        if not child:
            assert go().flags()[0] == offset
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    libraries = {path.parent for path in here.parent.glob("*/demo.so")}
    print("libraries:", len(libraries), here in libraries)

    unused = {days: here.parent.parent / f"{days:016}" for days in (40, 50)}
    for days, folder in unused.items():
        folder.mkdir()
        os.utime(folder, (time.time() - days * 86400,) * 2)
    go()
    print("directories:", [folder.exists() for folder in unused.values()])


def a_macro_in_both_lists():
    module = go(extra_cflags=["force_mcc", "-DCXX_FLAG=2"], extra_musa_cflags=["-DCXX_FLAG=2", "-DMCC_FLAG=3"])
    assert module.flags() == (1, 2, 3, 1), module.flags()


def inline():
    texts = [Path(name).read_text() for name in ("main.txt", "musa.txt")]
    module = load_inline("demo", texts[0], [texts[1]], no_implicit_headers=True)
    check_kernel(module)


def an_error():
    try:
        go()
    except MusaBuildError as error:
        print(error)


def three_threads():
    with ThreadPoolExecutor(3) as pool:
        first, *others = pool.map(lambda _: go(verbose=True), range(3))
    assert all(other is first for other in others)
    check_kernel(first)


def standalone():
    path = load("tool", ["csrc/main.cpp", "csrc/kernel.mu"], extra_include_paths=["include"], is_standalone=True)
    print("program:", path)


globals()[sys.argv[1]]()
