"""The compute capability: each read is reported at its line, unless all uses of its value are harmless."""

from __future__ import annotations

import pytest
from translated_texts import findings

from musa_build.porting.engine.capability import OF_READ, OF_TEST
from musa_build.porting.engine.edits import Finding, Severity


def found(text: str) -> list[Finding]:
    return [finding for finding in findings(text) if finding.code == "compute-capability"]


def lines(text: str) -> list[int]:
    assert all(finding.severity is Severity.WARNING for finding in found(text))
    return [finding.line for finding in found(text)]


PROPERTIES = "cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);\n"


@pytest.mark.parametrize(
    "use",
    [
        "return gpu(p.major * 10 + p.minor).at_least(80);",
        "std::vector<int> v{p.major * 10 + p.minor}; if (std::find(v.begin(), v.end(), 80) != v.end()) f();",
        'char b[8]; sprintf(b, "%d.%d", p.major, p.minor); if (!strcmp(b, "8.0")) f();',
        'std::snprintf(b, 8, "%d.%d", p.major, p.minor); use(b);',
        "return p.major / 8 ? a : b;",
        "return (p.major & 8) != 0;",
        "if (p.major) f();",
        "arch->maj = p.major;",
        "*major = p.major; *minor = p.minor;",
        "DISPATCH_SM(p.major * 10 + p.minor, [&] { f(); });",
        "std::stringstream s; s << p.major << p.minor; compare(s.str());",
        'auto s = std::to_string(p.major) + "." + std::to_string(p.minor); load(s);',
        "x << p.major << 3;",
        "cache.emplace(p.major, p.minor);",
        "return {p.major, p.minor};",
        "auto f = [m = p.major] { return pick(m); };",
        'printf("%d cores", cores_of(p.major, p.minor));',
        'TORCH_CHECK(is_known(p.major), "capability ", p.major);',
        "template_for<Arch>(p.major)();",
        "p.major % 2 == 0;",
        "auto get = &cudaDeviceProp::major;",
        "int cc[2]; memcpy(cc, &p.major, 8); use(cc);",
        "for (int i = 0; i < p.major; ++i) f();",
        'auto s = fmt::format("{}.{}", p.major, p.minor); if (s == "8.0") f();',
        "int v = p.major; auto q = &v; use(q);",
        "want.major = 7; cudaChooseDevice(&d, &want);",
        "out << p.major;",
        'config["sm"] = p.major; return config;',
        'j["cc"] = {p.major, p.minor};',
        "return kernels.at(std::to_string(p.major));",
        "kernels[{p.major, p.minor}]();",
        "Arch a(p.major, p.minor); if (a < kAmpere) f();",
        'EXPECT_GE(p.major, 3) << "old";',
        'snprintf(name, 64, "sm_%d%d", p.major, p.minor); puts(name);',
        'std::string arch = "compute_" + std::to_string(p.major); options.push_back(arch.c_str());',
    ],
)
def test_a_read_whose_use_is_not_seen(use: str) -> None:
    text = f"void g() {{\n{PROPERTIES}{use}\n}}\n"
    (finding,) = found(text)
    assert finding.line == 3 and finding.message in (OF_READ, OF_TEST)


@pytest.mark.parametrize(
    "read",
    [
        "cudaDeviceGetAttribute(&v, cudaDevAttrComputeCapabilityMajor, 0);",
        "cudaDeviceGetAttribute(v, cudaDevAttrComputeCapabilityMinor, 0);",
        "CHECK(cuDeviceGetAttribute(\n  &v, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d));",
        "cuDeviceComputeCapability(&v, &w, d);",
        "nvmlDeviceGetCudaComputeCapability(d, &v, &w);",
        "return attribute(cudaDevAttrComputeCapabilityMajor);",
        "v = at::cuda::getCurrentDeviceProperties()->major;",
        "v = at::cuda::getDeviceProperties(d)->minor;",
        "v = device_props(0).major;",
        "v = ctx->prop->major * 10;",
        "v = it->major * 10 + it->minor;",
        "v = 10 * it.major + it.minor;",
        "auto p = props(); v = p.major;",
        "if (device.info().major < 7) f();",
        "auto q = all(); if (q.major >= 8) f();",
        "if (state[0]->major == 9) f();",
        "cub::PtxVersion(v);",
        "cub::SmVersion(v, 0);",
        "cudaDeviceGetAttribute(&v, (cudaDeviceAttr)75, 0);",
        "cuDeviceGetAttribute(&v, static_cast<CUdevice_attribute>(76), d);",
    ],
)
def test_every_way_to_read(read: str) -> None:
    text = f"void g(int* v) {{\n{read}\n pick(v);\n}}\n"
    assert len(lines(text)) == 1 and lines(text)[0] in (2, 3)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("#define SM_OF(p) ((p).major*10+(p).minor)\n", 1),
        ("#define SM_OF(p) \\\n  ((p)->major * 10 + (p)->minor)\n", 2),
        ("#define DISPATCH_SM(q, ...) if ((q).major >= 8) { __VA_ARGS__ }\n", 1),
        ("#define DISPATCH_SM(q) switch ((q)->major) { case 7: f(); }\n", 1),
        ("struct Arch { int maj; };\ninline Arch arch() { cudaDeviceProp p; return {p.major}; }\n", 2),
        ("void cc(int *major) {\n  cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, 0);\n}\n", 2),
        ("struct Gpu {\n  Gpu(cudaDeviceProp& p) : cc_(p.major * 10 + p.minor) {}\n  int cc_;\n};\n", 2),
    ],
)
def test_what_other_files_compare_is_reported_where_it_is_read(text: str, line: int) -> None:
    assert lines(text) == [line]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("#define SM_OF(p) ((p).major*10+(p).minor)\nbool g(cudaDeviceProp q) {\n return SM_OF(q) < 70; }\n", 3),
        ("#define SM (at::cuda::getCurrentDeviceProperties()->major)\nbool b = SM >= 8;\n", 2),
        ("void g(cudaDeviceProp p) {\n int v = p.major * 10\n  + p.minor;\n if (v >= 80) f();\n}\n", 4),
        ("int a, b;\nvoid f() { cuDeviceComputeCapability(&a, &b, 0); }\nbool g() {\n return a >= 8; }\n", 4),
    ],
)
def test_where_the_test_is_seen_there_is_no_second_finding(text: str, line: int) -> None:
    (finding,) = found(text)
    assert finding.line == line and finding.message == OF_TEST


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "void f(Info& i, cudaDeviceProp& p) {\n i.major = p.major;\n}\nbool g(V v) {\n return v.major > 12; }\n",
            [2, 5],
        ),
        (
            "struct D { int major() { return p.major; } cudaDeviceProp p; };\nbool g(V v) {\n return v.major > 12; }",
            [1, 3],
        ),
        (
            "struct D { int major() { return p.major; } cudaDeviceProp p; };\nbool g(D d) {\n return d.major() > 7; }",
            [3],
        ),
        ("bool g(cudaDeviceProp& p, Wanted w) {\n return p.major < w.major; }\n", [2]),
        ("bool g(cudaDeviceProp& p, Wanted w) {\n int major = p.major;\n return major < w.major; }\n", [2]),
        ("void g() {\n cudaDeviceProp a, b;\n f(a.major == b.major); }\n", []),
        ("bool g(int d) {\n auto& a = *at::cuda::getDeviceProperties(d);\n return a.major == props(1).major; }\n", []),
    ],
)
def test_members_of_other_objects(text: str, expected: list[int]) -> None:
    assert lines(text) == expected


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("if (p.major < 8) {\n  return pick(p.major);\n}", [2, 3]),
        ("if (p.major < 8) f();\nuse(p.major);", [2, 3]),
        ("use(p.major, p.minor);\nuse(p.major, p.minor);", [2, 3]),
        ("bool b = 8 <= p.major;\nbool c = p.major <= 9 && q;", [2, 3]),
        ('if (p.major < 8) {\n  printf("%d", p.major);\n}', [2]),
        ('if (p.major < 8) throw std::runtime_error("needs 8, not " + std::to_string(p.major));', [2]),
        ("int v = p.major;\nv == 8 ? a() : b();", [3]),
        ("use(p.major);\nuse(p.minor);", [2]),
        ('printf("%s", p.major > 7 ? "new" : "old");', [2]),
    ],
)
def test_tests_and_reads_side_by_side(use: str, expected: list[int]) -> None:
    assert lines(f"void g(const cudaDeviceProp& p) {{\n{use}\n}}\n") == expected


def test_a_test_in_one_function_says_nothing_about_another_s_variable() -> None:
    one = "bool f(cudaDeviceProp p) {\n int v = p.major;\n return v > 7;\n}\n"
    other = "int g(cudaDeviceProp q) {\n int v = q.major;\n return pick(v);\n}\n"
    assert lines(one + other) == [3, 6]


@pytest.mark.parametrize(
    "use",
    [
        'printf("%d.%d", p.major, p.minor);',
        'fprintf(stderr, "sm_%d%d\\n", p.major, p.minor);',
        'std::printf("%d", (int)p.major);',
        'std::cout << "CC " << p.major << "." << p.minor << std::endl;',
        "std::cout << p.major << '\\n';",
        "if (verbose) std::cerr << p.major;",
        "LOG(INFO) << p.major << p.minor;",
        'out << "cc " << p.major;',
        'TORCH_CHECK(ok, "needs another GPU than ", p.major, ".", p.minor);',
        'TORCH_WARN("on ", p.major);',
        'throw std::runtime_error("GPU " + std::to_string(p.major) + " is unknown");',
        'spdlog::info("{}.{}", p.major, p.minor);',
        'LOG(INFO) << fmt::format("{}.{}", p.major, p.minor);',
        'std::cout << std::setw(4) << p.major << "\\n";',
        "decltype(p.major) x = 3; use(x);",
        "cudaDeviceGetAttribute(&n, (cudaDeviceAttr)16, 0); use(n);",
        'int v = p.major * 10 + p.minor; printf("%d", v);',
        'int major = p.major, minor = p.minor;\nprintf("%d.%d", major, minor);',
        "bool same = p.major == q.major && p.minor == q.minor;",
        "if (p.major != q.major) f();",
        "int best = 0; if (p.major > best) best = p.major;",
        "return std::tie(p.major, p.minor) < std::tie(q.major, q.minor);",
        "static_assert(sizeof(p.multiProcessorCount) == 4);",
        "// gpu.at_least(p.major)",
        'const char* s = "p.major / 8";',
        "int row = matrix.major_stride / 8;",
    ],
)
def test_a_harmless_use_is_silent(use: str) -> None:
    assert not lines(f"bool g(cudaDeviceProp p, cudaDeviceProp q) {{\n{use}\n}}\n")


@pytest.mark.parametrize(
    "text",
    [
        "bool b = version.major >= 3 && pick(version.minor); cudaFree(p);",
        "int v = cudnn_version.major * 1000 + cudnn_version.minor; cudaFree(p);",
        "cudaDeviceProp p; bool b = runtimeVersion.major >= 11;",
        "// row major: cudaFree\nint major = 3; f(major); cudaFree(p);",
        "#define AT_LEAST_VERSION(v, n) ((v).major >= (n))\n",
        "switch (attribute) { case cudaDevAttrComputeCapabilityMajor: f(); }",
        "enum A { CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75 };",
        "CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice dev);",
    ],
)
def test_what_is_no_read_of_a_capability(text: str) -> None:
    assert not lines(text)


def test_a_condition_is_no_call() -> None:
    """The words of another condition do not get the value that a condition tests."""
    other = "void f(int n, int m) {\n if (n < m) { g(a[m]); }\n}\n"
    assert lines(f"{other}void h(cudaDeviceProp p) {{\n v = p.major;\n if (v >= 8) k();\n}}\n") == [6]


def test_many_reads_of_a_file_are_one_finding_with_their_lines() -> None:
    text = "".join(f"int f{n}(cudaDeviceProp p) {{\n return pick(p.major);\n}}\n\n" for n in range(9))
    (finding,) = found(text)
    assert finding.line == 2 and finding.message.endswith("(as in lines 6, 10, 14, 18, 22, 26, 30, 34)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("constexpr int arch = __CUDA_ARCH__;", [1]),
        ("#define ARCH __CUDA_ARCH__\n#if ARCH >= 800\n#endif", [1]),
        ("run<__CUDA_ARCH__>(x);", [1]),
        ("#if __CUDA_MINIMUM_ARCH__ >= 700\n#endif", [1]),
        ("#ifdef __CUDA_ARCH_LIST__\n#endif", [1]),
        ("".join("int a = f(__CUDA_ARCH__);\n" for _ in range(9)), [1]),
        ("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n#elif __CUDA_ARCH__\n#endif", []),
        ("#define DEVICE defined(__CUDA_ARCH__)\n#ifdef __CUDA_ARCH__\n#endif\n#undef __CUDA_ARCH__", []),
        ("#define NEW (__CUDA_ARCH__ >= 800)", []),
        ('printf("%d", __CUDA_ARCH__); bool b = __CUDA_ARCH__ >= 700;', []),
    ],
)
def test_the_number_of_the_architecture_outside_of_conditions(text: str, expected: list[int]) -> None:
    warned = [each.line for each in findings(text) if each.code == "arch-guard" and each.severity is Severity.WARNING]
    assert warned == expected


@pytest.mark.parametrize("parameters", ["int* a, int* b", "int& a, int& b"])
def test_what_a_function_hands_out_is_reported(parameters: str) -> None:
    stars = "*" if "*" in parameters else ""
    head = f"void cc(int d, {parameters}) {{ cudaDeviceProp p; cudaGetDeviceProperties(&p, d);\n"
    assert lines(f"{head}{stars}a = p.major; {stars}b = p.minor; }}\n") == [2]


def test_an_array_that_is_handed_out_is_reported() -> None:
    assert lines("void cc(int out[2]) { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);\nout[0] = p.major; }\n") == [
        2
    ]


@pytest.mark.parametrize("before", ["g();", "if (x) { y(); }", "for (int i = 0; i < n; ++i)", "{", "a = b;"])
@pytest.mark.parametrize("stream", ["std::cout", "LOG(INFO)", "std::cerr"])
def test_a_stream_prints_after_any_code(before: str, stream: str) -> None:
    assert not found(f"void f(cudaDeviceProp p) {{ {before} {stream} << p.major; {'}' if before == '{' else ''}}}\n")


@pytest.mark.parametrize("before", ["#include <a.h>", "#endif", "#define A f", "#define B(x) \\\n  g(x)"])
@pytest.mark.parametrize("stream", ["LOG(INFO)", "std::cout"])
def test_a_stream_prints_after_a_directive(before: str, stream: str) -> None:
    """A directive ends with its line, so what follows is a statement of its own; a macro's text is one, too."""
    assert not found(f"cudaDeviceProp p;\n{before}\n{stream} << p.major;\n")
    assert not found(f"#define SHOW(p) {stream} << (p).major\nvoid f(cudaDeviceProp p) {{ SHOW(p); }}\n")
    assert lines(f"cudaDeviceProp p;\n{before}\nx << p.major;\n")


def test_a_line_has_one_finding_of_a_kind() -> None:
    assert lines(f"{PROPERTIES}bool new_enough = p.major > 7 || (p.major == 7 && p.minor >= 5);\n") == [2]
