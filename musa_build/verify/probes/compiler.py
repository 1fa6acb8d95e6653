"""Probes of mcc: the flags and code that it accepts, its macros, and its outputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from ...system.process import Completed
from ..probe_context import PROGRAMS, ProbeContext, facts_of, first_error
from ..verdict import UndecidedError, Verdict, confirmed, judged, refuted, undecided

EMPTY_KERNEL = "__global__ void kernel() {}\n"


def default_architecture(context: ProbeContext) -> Verdict:
    """Ask which __MUSA_ARCH__ device code has without a flag: that of one of those that SDK 5.1.0 compiles for."""
    found = context.macro("__MUSA_ARCH__")
    return judged(found in ("210", "220", "310", "320"), f"__MUSA_ARCH__ is {found} without --offload-arch")


def macro_of_mp10(context: ProbeContext) -> Verdict:
    """Ask which __MUSA_ARCH__ mp_10 has."""
    found = context.macro("__MUSA_ARCH__", "--offload-arch=mp_10")
    return judged(found == "100", f"__MUSA_ARCH__ is {found}")


def nvcc_only_flags(context: ProbeContext) -> Verdict:
    """Try flags of nvcc, one by one."""
    source = context.write("empty.mu", EMPTY_KERNEL)
    flags = {
        "-gencode": ("-gencode", "arch=compute_80,code=sm_80"),
        "--expt-relaxed-constexpr": ("--expt-relaxed-constexpr",),
        "--extended-lambda": ("--extended-lambda",),
        "--use_fast_math": ("--use_fast_math",),
        "--threads": ("--threads", "2"),
    }
    accepted = [name for name, words in flags.items() if context.accepts(source, *words)[0]]
    if accepted:
        return refuted(f"mcc accepts {', '.join(accepted)}")
    return confirmed(f"mcc rejects {', '.join(flags)}: {context.accepts(source, '--extended-lambda')[1]}")


def ccbin(context: ProbeContext) -> Verdict:
    """Try -ccbin."""
    source = context.write("empty.mu", EMPTY_KERNEL)
    done = context.compile(source, "-ccbin", "g++", "-c", "-o", str(context.scratch / "empty.o"))
    if done.returncode:
        context.must_compile()
    said = re.sub(r"^\S*mcc: ", "", (done.stderr.strip() or "nothing").splitlines()[0][:200])
    seen = f"mcc says: {said}"
    return judged(done.returncode == 0, seen)


def cxx20(context: ProbeContext) -> Verdict:
    """Compile C++20 as torch's headers have it."""
    source = context.write(
        "cxx20.mu",
        "#include <concepts>\n#include <ranges>\n#include <span>\n"
        "template <class T> concept Number = std::integral<T> || std::floating_point<T>;\n"
        "template <Number T> __global__ void scale(T* x, T by) requires(sizeof(T) > 1) { x[threadIdx.x] *= by; }\n"
        "template __global__ void scale<float>(float*, float);\n"
        "struct Options { int a = 1, b = 2; bool operator==(const Options&) const = default; };\n"
        "inline Options made() { return {.a = 3}; }\n",
    )
    accepted, complaint = context.accepts(source, "-std=c++20")
    return judged(accepted, complaint or "concepts, requires, designated initialisers and <ranges> compile")


_FEATURES = {
    # threshold of __CUDA_ARCH__: (architecture, code of a kernel)
    "sm_53, half arithmetic": ("mp_21", "__half h = __hadd(*(__half*)x, __half(1)); *(__half*)x = h;"),
    "sm_60, atomicAdd of double": ("mp_21", "atomicAdd((double*)x, 1.0);"),
    "sm_61, __dp4a": ("mp_21", "*(int*)x = __dp4a(*(int*)x, 7, 1);"),
    "sm_70, __match_any_sync": ("mp_21", "*(unsigned*)x = __match_any_sync(0xffffffffu, *(int*)x);"),
    "sm_70, atomicAdd of half": ("mp_21", "atomicAdd((__half*)x, __half(1));"),
    "sm_80, bfloat16 arithmetic": ("mp_22", "*(__mt_bfloat16*)x = __hmul(*(__mt_bfloat16*)x, *(__mt_bfloat16*)x);"),
    "sm_80, atomicAdd of bfloat16": ("mp_22", "atomicAdd((__mt_bfloat16*)x, __mt_bfloat16(1.0f));"),
    "sm_89, fp8": ("mp_31", "*(__mt_fp8_e4m3*)x = __mt_fp8_e4m3(1.5f);"),
}


def features(context: ProbeContext) -> Verdict:
    """Compile a use of each feature for the least architecture that we say has it."""
    lacking = []
    for name, (arch, code) in _FEATURES.items():
        fp8 = "#include <musa_fp8.h>\n" if "fp8" in name else ""
        source = context.write(
            "feature.mu",
            f"#include <musa_bf16.h>\n#include <musa_fp16.h>\n{fp8}__global__ void use(void* x) {{ {code} }}\n",
        )
        accepted, complaint = context.accepts(source, "-std=c++17", f"--offload-arch={arch}")
        if not accepted:
            lacking.append(f"{name} on {arch}: {complaint}")
    return refuted("; ".join(lacking)) if lacking else confirmed(f"{', '.join(_FEATURES)} compile")


def libcuxx_parts(context: ProbeContext) -> Verdict:
    """Look for other parts of libcu++ than musa/std and musa/functional."""
    folder = context.sdk.include_dir / "musa"
    if not folder.is_dir():
        raise UndecidedError(f"the SDK has no {folder.name}/ in its include directory")
    others = sorted(path.name for path in folder.iterdir() if path.name not in ("std", "functional"))
    others = [name for name in others if not name.startswith("_")]
    return judged(not others, f"include/musa has {', '.join(others) or 'std and functional only'}")


def nvcc_macro(context: ProbeContext) -> Verdict:
    """Ask whether mcc looks like nvcc or like clang."""
    seen = {name: context.macro(name) for name in ("__NVCC__", "__CUDACC__", "__clang__", "__MUSACC__")}
    text = ", ".join(f"{name} {'defined' if value is not None else 'not defined'}" for name, value in seen.items())
    return judged(seen["__NVCC__"] is None and seen["__clang__"] is not None, text)


def no_half_operators(context: ProbeContext) -> Verdict:
    """Compile an operator of half with and without the macro."""
    source = context.write(
        "half.mu",
        "#include <musa_fp16.h>\n#include <type_traits>\n__global__ void use(__half* x) {\n"
        'static_assert(std::is_same<decltype(x[0] + x[1]), __half>::value, "a sum of floats"); }\n',
    )
    with_operators, complaint = context.accepts(source)
    without, _ = context.accepts(source, "-D__MUSA_NO_HALF_OPERATORS__")
    if not with_operators:
        raise UndecidedError(f"an addition of halves does not compile: {complaint}")
    return judged(
        not without, f"with __MUSA_NO_HALF_OPERATORS__, half + half {'still compiles' if without else 'is gone'}"
    )


def device_code_from_cpp(context: ProbeContext) -> Verdict:
    """Compile a .cpp with kernels by -x musa, and link its object with the host's compiler."""
    text = (PROGRAMS / "graph-numbers.mu").read_text(encoding="utf-8")
    kernel = "__global__ void set(int* x) { *x = 7; }\n"
    main = 'int main() { int* x = managed<int>(1); set<<<1, 1>>>(x); CHECK(ended()); fact("value", *x); }\n'
    source = context.write("device.cpp", f"{re.findall('#include .probe.h.', text)[0]}\n{kernel}{main}")
    flags = ["-x", "musa", "-std=c++17", "-fPIC", *context.arch_flags]
    built = context.compile(source, *flags, "-c", "-o", str(context.scratch / "device.o"))
    if built.returncode:
        context.must_compile()
        return refuted(f"mcc -x musa device.cpp: {first_error(built)}")
    libraries = [f"-L{folder}" for folder in context.sdk.library_dirs]
    linked = context.run([*context.cxx, "device.o", "-o", "program", *libraries, "-lmusart"])
    if linked.returncode:
        return refuted(f"g++ does not link mcc's object: {first_error(linked)}")
    facts = facts_of(context.run(["./program"]))
    return judged(facts.get("value") == "7", f"the kernel stored {facts.get('value')}")


def dlink(context: ProbeContext) -> Verdict:
    """Link device code as torch_musa does."""
    source = context.write("empty.mu", EMPTY_KERNEL)
    context.compile(source, "-c", "-fPIC", "-o", str(context.scratch / "empty.o"))
    done = context.compile(context.scratch / "empty.o", "-o", "dlink.o", "-fPIC", "-dlink")
    made = (context.scratch / "dlink.o").is_file()
    if not (context.scratch / "empty.o").is_file():
        context.must_compile()
    if done.returncode or not made:
        return refuted(first_error(done) or "no object was written")
    symbols = context.run(["nm", "dlink.o"]).stdout.split()
    return judged(not symbols, f"the object has {len(symbols) // 3} symbols")


def dependency_files(context: ProbeContext) -> Verdict:
    """Compare a dependency file with the headers that were read."""
    for folder, name in (("user", "mine.h"), ("system", "theirs.h"), ("forced", "forced.h")):
        (context.scratch / folder).mkdir(exist_ok=True)
        (context.scratch / folder / name).write_text("#pragma once\n", encoding="utf-8")
    source = context.write("reads.mu", '#include <theirs.h>\n#include "mine.h"\n#include <cmath>\n' + EMPTY_KERNEL)
    flags = ["-Iuser", "-isystem", "system", "-include", "forced/forced.h", "-MD", "-MF", "reads.d"]
    done = context.compile(source, *flags, "-c", "-o", "reads.o")
    if done.returncode:
        raise UndecidedError(first_error(done))
    listed = (context.scratch / "reads.d").read_text(encoding="utf-8")
    missing = [name for name in ("mine.h", "theirs.h", "forced.h", "cmath", "musa_runtime.h") if name not in listed]
    missing = [name for name in missing if name != "musa_runtime.h" or "musa" not in listed]
    return judged(
        not missing, f"not named: {', '.join(missing)}" if missing else f"{len(listed.split()) - 1} files are named"
    )


def mcc_links(context: ProbeContext) -> Verdict:
    """Link with the library's directory only; then without it, and run without a library path."""
    source = PROGRAMS / "graph-numbers.mu"
    context.must_compile()
    named = context.compile(source, "-std=c++17", f"-L{context.sdk.library_dirs[0]}", "-lmusart", "-o", "named")
    alone = context.compile(source, "-std=c++17", "-lmusart", "-o", "alone")
    run_path = "RUNPATH" in (found := context.run(["readelf", "-d", "named"]).stdout) or "RPATH" in found
    adds = "adds" if alone.returncode == 0 else "does not add"
    seen = f"mcc {adds} its own lib/, and {'sets a' if run_path else 'sets no'} run path"
    return judged(named.returncode == 0, first_error(named) or seen)


def fast_math(context: ProbeContext) -> Verdict:
    """Try the flag that we translate --use_fast_math to."""
    source = context.write("fast.mu", "__global__ void f(float* x) { *x = sinf(*x) / 3; }\n")
    flag = "-use_fast_math" if _release(context) >= (5, 2) else "-fmusa-flush-denormals-to-zero"
    accepted, complaint = context.accepts(source, flag)
    return judged(accepted, complaint or f"mcc accepts {flag}")


def _release(context: ProbeContext) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", context.sdk.version)[:2])


def contraction(context: ProbeContext) -> Verdict:
    """Run a*b+c by default and with -ffp-contract=off."""
    seen = []
    for flags in ((), ("-ffp-contract=off",)):
        built = context.link(PROGRAMS / "fp-contract.mu", *flags)
        if built.returncode:
            raise UndecidedError(first_error(built))
        seen.append(facts_of(context.run(["./program"])).get("fused"))
    words = {"1": "one rounding", "0": "two roundings"}
    text = f"a*b+c has {words.get(str(seen[0]))} by default, {words.get(str(seen[1]))} with -ffp-contract=off"
    return judged(seen == ["1", "0"], text)


def gpu_rdc(context: ProbeContext) -> Verdict:
    """Run a kernel that calls a function of another file: linked by mcc, and by g++ after mcc's device link."""
    probe = re.findall("#include .probe.h.", (PROGRAMS / "graph-numbers.mu").read_text(encoding="utf-8"))[0]
    main = 'int main() { int* x = managed<int>(1); call<<<1, 1>>>(x); CHECK(ended()); fact("value", *x); }\n'
    kernel = "__device__ int elsewhere(int value);\n__global__ void call(int* x) { *x = elsewhere(3); }\n"
    caller = context.write("caller.mu", f"{probe}\n{kernel}{main}")
    called = context.write("called.mu", "__device__ int elsewhere(int value) { return value + 4; }\n")
    for source, name in ((caller, "caller.o"), (called, "called.o")):
        flags = ("-std=c++17", "-fgpu-rdc", "-fPIC", *context.arch_flags)
        done = context.compile(source, *flags, "-c", "-o", str(context.scratch / name))
        if done.returncode:
            context.must_compile()
            return refuted(f"mcc -fgpu-rdc: {first_error(done)}")
    libraries = [*(f"-L{folder}" for folder in context.sdk.library_dirs), "-lmusart"]
    objects = ("caller.o", "called.o")
    flags = ("-fgpu-rdc", *context.arch_flags)
    by_mcc = context.run([context.mcc, *objects, *flags, "-o", "program", *libraries])
    ways = {"mcc -fgpu-rdc links": _answer(context, by_mcc)}
    linked = context.run([context.mcc, *objects, "-o", "linked.o", "-fPIC", *context.arch_flags, "-dlink"])
    if linked.returncode == 0:
        linked = context.run([*context.cxx, *objects, "linked.o", "-o", "program", *libraries])
    ways["mcc -dlink, then g++"] = _answer(context, linked)
    text = "; ".join(f"{way}: {said}" for way, said in ways.items())
    return judged(all(said == "7" for said in ways.values()), text)


def _answer(context: ProbeContext, linked: Completed) -> str:
    if linked.returncode:
        return first_error(linked)
    return facts_of(context.run(["./program"])).get("value", "no answer")


def deferred_diagnostics(context: ProbeContext) -> Verdict:
    """Compile a kernel that calls a function which has __device__ in device passes only."""
    text = (
        "#ifdef __MUSA_ARCH__\n#define DEVICE __device__\n#else\n#define DEVICE\n#endif\n"
        "DEVICE int twice(int x) { return 2 * x; }\n__global__ void kernel(int* p) { *p = twice(*p); }\n"
    )
    source = context.write("deferred.mu", text)
    accepted, said = context.accepts(source, "-fgpu-defer-diag")
    if accepted:
        needed = "needs it" if not context.accepts(source)[0] else "does not need it"
        return confirmed(f"mcc accepts the flag, and {needed} for such a kernel")
    context.must_compile()
    return refuted(f"mcc says: {said}")


def environment(context: ProbeContext) -> Verdict:
    """Try a variable of gcc, and look for names of variables in mcc's programs."""
    (context.scratch / "extra").mkdir(exist_ok=True)
    (context.scratch / "extra" / "from_cpath.h").write_text("", encoding="utf-8")
    source = context.write("reads.mu", "#include <from_cpath.h>\n" + EMPTY_KERNEL)
    done = context.compile(source, "-c", "-o", "reads.o", CPATH=str(context.scratch / "extra"))
    if done.returncode:
        context.must_compile()
        return refuted(f"mcc ignores CPATH: {first_error(done)}")
    names = _variables_of(context.sdk.mcc.resolve())
    known = {"MUSA_HOME", "MUSA_PATH", "MUSA_VERSION", "MUSA_INSTALL_PATH"}
    others = sorted(
        name for name in names if name.startswith("MUSA_") and not name.startswith("MUSA_SIM") and name not in known
    )
    if others:
        return undecided(f"CPATH is read. Does mcc read one of {', '.join(others[:12])}? Its program has these words")
    return confirmed("CPATH is read, and mcc's program has no name of another variable")


def _variables_of(program: Path) -> set[str]:
    words = re.findall(rb"\bMUSA_[A-Z][A-Z_]{2,40}\b", program.read_bytes())
    return {word.decode() for word in words}


def math_header(context: ProbeContext) -> Verdict:
    """Put a math.h of our own into an -isystem directory."""
    (context.scratch / "own").mkdir(exist_ok=True)
    text = "#define OWN_MATH_HEADER 1\n#include_next <math.h>\n"
    (context.scratch / "own" / "math.h").write_text(text, encoding="utf-8")
    source = context.write(
        "math.mu", "#include <math.h>\n#ifndef OWN_MATH_HEADER\n#error theirs\n#endif\n" + EMPTY_KERNEL
    )
    direct, complaint = context.accepts(source, "-isystem", "own")
    wrapped = context.write(
        "wrapped.mu", "#ifndef OWN_MATH_HEADER\n#error wrappers do not include math.h by name\n#endif\n"
    )
    by_wrapper, _ = context.accepts(wrapped, "-isystem", "own")
    words = "include" if by_wrapper else "do not include"
    seen = complaint or f"-isystem's math.h is preferred; mcc's own wrappers {words} <math.h>"
    return judged(direct and by_wrapper, seen)


def gnuc(context: ProbeContext) -> Verdict:
    """Ask for __GNUC__."""
    found = context.macro("__GNUC__")
    return judged(found == "4", f"__GNUC__ is {found}")


PROBES: Mapping[str, Callable[[ProbeContext], Verdict]] = {
    "mcc-default-arch": default_architecture,
    "musa-arch-of-mp10": macro_of_mp10,
    "nvcc-only-flags": nvcc_only_flags,
    "ccbin": ccbin,
    "cxx20": cxx20,
    "arch-features": features,
    "libcuxx-parts": libcuxx_parts,
    "nvcc-guards": nvcc_macro,
    "no-half-operators": no_half_operators,
    "device-code-from-cpp": device_code_from_cpp,
    "dlink": dlink,
    "dependency-files": dependency_files,
    "mcc-links": mcc_links,
    "fast-math-flag": fast_math,
    "fp-contract": contraction,
    "gpu-rdc": gpu_rdc,
    "defer-diag-flag": deferred_diagnostics,
    "mcc-environment": environment,
    "math-header-order": math_header,
    "gnuc-macro": gnuc,
}
