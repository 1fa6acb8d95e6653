"""The flags that mcc looks at itself; all others are for clang's driver."""

from __future__ import annotations

from .invocation import Stage

STAGE_FLAGS = {
    "-E": Stage.PREPROCESS,
    "-M": Stage.DEPENDENCIES,
    "-MM": Stage.DEPENDENCIES,
    "-fsyntax-only": Stage.SYNTAX,
    "-S": Stage.ASSEMBLY,
    "-c": Stage.OBJECT,
    "-dc": Stage.OBJECT,
}
#: an early stage wins over a late one, as in clang
STAGE_ORDER = list(Stage)
TAKES_VALUE_COMPILE = {
    *("-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-D", "-U", "-MF", "-MT", "-MQ"),
    *("-Xclang", "-Xpreprocessor", "-target", "-isysroot", "-iprefix", "--param"),
    *("-stdlib++-isystem", "-cxx-isystem"),
}
TAKES_VALUE_LINK = {"-L", "-l", "-Xlinker", "-z", "-T", "-u", "-rpath"}
LINK_FLAGS = {"-shared", "--shared", "-static", "-rdynamic", "-s", "-nostdlib", "-nodefaultlibs", "-pie", "-no-pie"}
BOTH_FLAGS = {"-pthread", "-m64", "-fopenmp", "-g"}
QUESTIONS = ("-dumpmachine", "-dumpversion", "-print-", "--print-", "--help", "-help")
#: Without meaning here: the target is always the CPU, which has fp64 and keeps denormals (docs say so).
SWALLOWED = {
    *("-mtgpu", "--cuda-compile-host-device"),
    *("-mathx-disable-fp64", "-fmusa-flush-denormals-to-zero"),
    # as in nvcc: it allows shortcuts that the CPU does not need, and never drops NaN, as clang's -ffast-math does
    "-use_fast_math",
}
#: Whether device code may use device code of other files; the last one wins. -dc is -c with it.
RELOCATABLE = {"-fgpu-rdc": True, "-rdc=true": True, "-dc": True, "-fno-gpu-rdc": False, "-rdc=false": False}
#: clang's flags for device code that its driver leaves out, as it compiles C++ here
OF_DEVICE_CODE = {"-fgpu-defer-diag"}
#: The stream that stream 0 means: the device's, or one of each thread. "null" is an old name of "legacy", as in nvcc.
DEFAULT_STREAM = "-fgpu-default-stream="
DEFAULT_STREAMS = ("legacy", "per-thread", "null")
#: by which the headers know
PER_THREAD_MACRO = "MUSA_API_PER_THREAD_DEFAULT_STREAM"
_COUNTS = "code that mcc compiles has no counters"
#: Flags that change no result, by the part before `=`: mcc leaves them out, and says so.
WITHOUT_EFFECT = {
    **dict.fromkeys(("--coverage", "-fprofile-arcs", "-ftest-coverage", "-fcoverage-mapping"), _COUNTS),
    **dict.fromkeys(("-fprofile-instr-generate", "-fprofile-generate"), _COUNTS),
    **dict.fromkeys(("-flto", "-fembed-bitcode"), "objects have machine code alone"),
}
NOT_SIMULATED = {
    "-cuda_wrapper": "CUDA-source compatibility mode",
    **dict.fromkeys(
        (f"{dashes}save-temps{where}" for dashes in ("-", "--") for where in ("", "=obj", "=cwd")),
        "files between the steps: -E, -S and -v show what is made",
    ),
}
