"""Code that already bridges CUDA and MUSA compiles after porting, and no function calls itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from kept_programs import KeptPrograms
from translated_texts import findings_in, translated

from musa_build.porting import SimplePorting
from musa_build.porting.engine.edits import Finding, Severity

PROGRAMS = Path(__file__).with_name("programs")


def ported(text: str) -> tuple[str, list[Finding]]:
    translation = translated(text)
    return translation.text, [finding for finding in findings_in(translation) if finding.code == "self-define"]


FORWARDING = [
    "#define cudaFree musaFree",
    "#define cudaFree \\\n    musaFree",
    "#define cudaFree /* the same */ musaFree // here",
    "#  define cudaFree (musaFree)",
    "#define cudaFree ::musaFree",
    "#define cudaMalloc(p, n) musaMalloc(p, n)",
    "#define cudaMalloc(p, n) \\\n    (musaMalloc((p), (n)))",
    "#define cudaMalloc(p, n) ::musaMalloc((void**)(p), n)",
    "#define cudaGetLastError(...) musaGetLastError(__VA_ARGS__)",
    "static inline musaError_t cudaFree(void* p) { return musaFree(p); }",
    "musaError_t cudaFree(void *p)\n{\n    return ::musaFree(p);\n}",
    "inline auto cudaFree(void* p) noexcept -> musaError_t { return musaFree(p); }",
    "__host__ __device__ inline musaError_t cudaFree(void* p) { return (musaFree(p)); }",
    'extern "C" { musaError_t cudaFree(void* p) { return musaFree(p); } }',
    "namespace { musaError_t cudaFree(void* p) { return musaFree(p); } }",
    "template <class... A> auto cudaFree(A&&... a) { return musaFree(std::forward<A>(a)...); }",
    "template <typename T> static musaError_t cudaMalloc(T** p, size_t n) { return musaMalloc((void**)p, n); }",
    "using cudaStream_t = musaStream_t;",
    "typedef musaStream_t cudaStream_t;",
    "typedef struct musaDeviceProp cudaDeviceProp;",
    "constexpr auto cudaSuccess = musaSuccess;",
    "static const musaMemcpyKind cudaMemcpyHostToDevice{musaMemcpyHostToDevice};",
    "auto* const cudaFree = &musaFree;",
    "constexpr auto& cudaFree = musaFree;",
    "auto cudaFree = [](void* p) { return musaFree(p); };",
    "enum { cudaHostAllocMapped = musaHostAllocMapped, cudaHostAllocDefault = musaHostAllocDefault };",
]


@pytest.mark.parametrize("definition", FORWARDING)
def test_a_definition_that_forwards_is_kept_and_all_else_is_ported(definition: str) -> None:
    text, found = ported(f"{definition}\nint i = cudaGetDevice(&n);\n")
    assert text == f"{definition}\nint i = musaGetDevice(&n);\n"
    assert found and all(finding.severity is Severity.NOTE for finding in found)


@pytest.mark.parametrize(
    "definition",
    [
        "musaError_t (*cudaFree)(void*) = musaFree;",
        "static musaError_t (*const cudaFree)(void*) = &musaFree;",
        "musaError_t (&cudaFree)(void*) = musaFree;",
        "auto (*cudaFree)(void*) -> musaError_t = musaFree;",
        'extern "C" musaError_t (*cudaFree)(void*) {musaFree};',
        "musaError_t (*cudaFree[2])(void*) = {musaFree, musaFree};",
        "decltype(&musaFree) cudaFree = musaFree;",
        "decltype(musaFree)* cudaFree = ::musaFree;",
        "auto cudaFree(&musaFree);",
    ],
)
def test_a_pointer_to_a_function_keeps_its_name(definition: str) -> None:
    text, found = ported(f"{definition}\nint i = cudaFree(p);\n")
    assert text == f"{definition}\nint i = musaFree(p);\n"
    assert len([finding for finding in found if finding.code == "self-define"]) == 1


def test_a_declaration_goes_with_its_definition_and_calls_do_not() -> None:
    text, _ = ported(
        "static musaError_t cudaFree(void*);\nint f() { return cudaFree(p); }\nx::cudaFree(p); cudaFree(p);\n"
        "static musaError_t cudaFree(void* p) { return musaFree(p); }\n"
    )
    assert text == (
        "static musaError_t cudaFree(void*);\nint f() { return musaFree(p); }\nx::musaFree(p); musaFree(p);\n"
        "static musaError_t cudaFree(void* p) { return musaFree(p); }\n"
    )


@pytest.mark.parametrize(
    "definition",
    [
        "static musaError_t cudaFree(void* p) { count--; return musaFree(p); }",
        "#define cudaFree(p) (count--, musaFree(p))",
        "#define cudaMalloc(p, n) musaMalloc(p, (n) + 64)",
        "musaError_t cudaMemset(void* p, int v, size_t n) { return musaMemset(p, n, v); }",
    ],
)
def test_a_wrapper_that_does_more_is_kept_with_a_warning(definition: str) -> None:
    text, found = ported(f"{definition}\n")
    assert text == f"{definition}\n" and [finding.severity for finding in found] == [Severity.WARNING]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "namespace gpu { inline musaError_t cudaFree(void* p) { return musaFree(p); } }\ni = gpu::cudaFree(p);",
            "namespace gpu { inline musaError_t musaFree(void* p) { return ::musaFree(p); } }\ni = gpu::musaFree(p);",
        ),
        (
            "namespace a::b { using cudaStream_t = musaStream_t; }",
            "namespace a::b { using musaStream_t = ::musaStream_t; }",
        ),
        (
            "struct Api { static musaError_t cudaFree(void* p) { return ::musaFree(p); } };",
            "struct Api { static musaError_t musaFree(void* p) { return ::musaFree(p); } };",
        ),
        (
            "musaError_t Api::cudaFree(void* p) { return musaFree(p); }",
            "musaError_t Api::musaFree(void* p) { return ::musaFree(p); }",
        ),
        ("enum class E { cudaSuccess = musaSuccess };", "enum class E { musaSuccess = ::musaSuccess };"),
        (
            "namespace gpu { inline cudaError_t musaFree(void* p) { return cudaFree(p); } }",
            "namespace gpu { inline musaError_t musaFree(void* p) { return ::musaFree(p); } }",
        ),
        # the reverse may name itself
        ("#define musaFree cudaFree", "#define musaFree musaFree"),
        ("#define musaFree(p) cudaFree(p)", "#define musaFree(p) musaFree(p)"),
        ("using musaStream_t = cudaStream_t;", "using musaStream_t = musaStream_t;"),
        ("typedef cudaStream_t musaStream_t;", "typedef musaStream_t musaStream_t;"),
        # a variable of the package's own, up to the end of its block
        (
            "void f(S musaStream) { { auto cudaStream = musaStream; g(cudaStream); } h(cudaStream_t()); }",
            "void f(S musaStream) { { auto cudaStream = musaStream; g(cudaStream); } h(musaStream_t()); }",
        ),
        # pointers to functions
        (
            "void f() { musaError_t (*cudaFree)(void*) = musaFree; cudaFree(p); }",
            "void f() { musaError_t (*cudaFree)(void*) = musaFree; cudaFree(p); }",
        ),
        (
            "namespace a { musaError_t (*cudaFree)(void*) = musaFree; }",
            "namespace a { musaError_t (*musaFree)(void*) = ::musaFree; }",
        ),
        (
            "struct A { decltype(&musaFree) cudaFree{&musaFree}; };",
            "struct A { decltype(&musaFree) musaFree{&::musaFree}; };",
        ),
        (
            "void f(musaError_t (*cudaFree)(void*) = musaFree) { cudaFree(p); }",
            "void f(musaError_t (*musaFree)(void*) = ::musaFree) { musaFree(p); }",
        ),
        (
            "musaError_t (*cudaFree)(void*);\nvoid f() { cudaFree = musaFree; cudaFree(p); }",
            "musaError_t (*cudaFree)(void*);\nvoid f() { cudaFree = musaFree; musaFree(p); }",
        ),
        (
            "namespace a { Fn cudaFree; }\nvoid f() { a::cudaFree = musaFree; a::cudaFree(p); }",
            "namespace a { Fn musaFree; }\nvoid f() { a::musaFree = ::musaFree; a::musaFree(p); }",
        ),
        (
            "struct A { Fn cudaFree; A() { cudaFree = &musaFree; } };",
            "struct A { Fn musaFree; A() { musaFree = &::musaFree; } };",
        ),
        (
            "decltype(&musaFree) cudaFree;\nvoid f() { cudaFree = (decltype(cudaFree))&musaFree; cudaFree(p); }",
            "decltype(&musaFree) cudaFree;\nvoid f() { cudaFree = (decltype(cudaFree))&musaFree; musaFree(p); }",
        ),
        (
            "struct A { A() : cudaFree(musaFree), cudaInit{&musaInit} {} Fn cudaFree; In cudaInit; };",
            "struct A { A() : musaFree(::musaFree), musaInit{&::musaInit} {} Fn musaFree; In musaInit; };",
        ),
        (
            "struct A { Fn cudaFree; };\nA a = {.cudaFree = musaFree};",
            "struct A { Fn musaFree; };\nA a = {.musaFree = ::musaFree};",
        ),
        (
            "extern Fn cudaFree;\nFn cudaFree = musaFree;\nint i = cudaFree(p);",
            "extern Fn cudaFree;\nFn cudaFree = musaFree;\nint i = musaFree(p);",
        ),
        (
            "Fn cudaFree, cudaInit = nullptr;\nvoid f() { cudaFree = musaFree; cudaInit = musaInit; }",
            "Fn cudaFree, cudaInit = nullptr;\nvoid f() { cudaFree = musaFree; cudaInit = musaInit; }",
        ),
        (
            "void f() { if (auto* cudaFree = musaFree) cudaFree(p); }",
            "void f() { if (auto* musaFree = ::musaFree) musaFree(p); }",
        ),
        ("f(a, cudaFree(musaFree)); g(cudaFree, musaFree);", "f(a, musaFree(musaFree)); g(musaFree, musaFree);"),
        ("a = (*cudaFree)(p); b = f((*cudaFree)(musaFree));", "a = (*musaFree)(p); b = f((*musaFree)(musaFree));"),
        # no definitions
        ("if (cudaFree(p)) { musaFree(q); }", "if (musaFree(p)) { musaFree(q); }"),
        ("x.cudaCount = musaCount; cudaCount = musaCount;", "x.musaCount = musaCount; musaCount = musaCount;"),
        ("#ifdef A\ncudaFree(p);\n#else\nmusaFree(p);\n#endif", "#ifdef A\nmusaFree(p);\n#else\nmusaFree(p);\n#endif"),
    ],
)
def test_other_definitions(before: str, after: str) -> None:
    assert ported(before)[0] == after


@pytest.mark.parametrize(
    "definition",
    [
        "inline cudaError_t musaFree(void* p) { return cudaFree(p); }",
        "constexpr auto musaSuccess = cudaSuccess;",
        "auto musaFree = [](void* p) { return cudaFree(p); };",
    ],
)
def test_a_definition_by_cuda_is_left_for_a_person(definition: str) -> None:
    """It would call itself for ever, without a word from the compiler."""
    text, (found,) = ported(definition)
    assert text == definition.replace("cudaError_t", "musaError_t")
    assert found.severity is Severity.WARNING and "remove" in found.message


BRIDGE = (PROGRAMS / "bridge.h").read_text(encoding="utf-8")
# With launches, pasted names and feature tests in it too: one program for what else must compile.
PROGRAM = (PROGRAMS / "bridged.cu").read_text(encoding="utf-8")


def test_a_bridged_program_compiles_and_runs(tmp_path: Path, sim_sdk_root: Path, kept_programs: KeptPrograms) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "bridge.h").write_text(BRIDGE)
    (tmp_path / "src" / "bridged.cu").write_text(PROGRAM)
    SimplePorting(tmp_path / "src").run()
    command = [str(sim_sdk_root / "bin" / "mcc"), "-std=c++17"]
    program = kept_programs.build(command, [tmp_path / "src_musa" / "bridged.mu"], ["-lmusart"])
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "1 5 0")
