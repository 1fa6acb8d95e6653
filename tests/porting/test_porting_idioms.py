"""Launches with blanks, pasted names, tests of the device and of its capability, barriers of a grid."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from translated_texts import findings, translated

from musa_build.porting.engine.edits import Finding, Severity


def port(text: str) -> str:
    return translated(text).text


def warnings(text: str, code: str) -> list[Finding]:
    return [finding for finding in findings(text) if finding.code == code and finding.severity is Severity.WARNING]


@pytest.mark.parametrize("name", ["cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion"])
@pytest.mark.parametrize("written", ["NAME()", "::NAME()", ":: NAME ( )", "NAME(\n)"])
def test_waiting_for_the_launch_before_is_left_out(name: str, written: str) -> None:
    """Launches of a stream run one after the other."""
    text = "__global__ void k(int* p) { STATEMENT; if (*p) STATEMENT; x.MEMBER(); }  // NAME()\n".replace("NAME", name)
    given = text.replace("STATEMENT", written.replace("NAME", name)).replace("MEMBER", name)
    assert port(given) == text.replace("STATEMENT", "((void)0)").replace("MEMBER", name.replace("cuda", "musa"))
    for call in ("if (*p) NAME(); else NAME();", "return ::NAME();", "do::NAME();", "a:NAME();", "#define W NAME()"):
        given = f"__global__ void k() {{\n{call}\n}}".replace("NAME", name)
        assert port(given) == re.sub(rf"(?:::)?{name}\(\)", "((void)0)", given) and findings(given) == []


@pytest.mark.parametrize("name", ["cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion"])
@pytest.mark.parametrize(
    "written",
    [
        "__device__ inline void\nNAME() {}",
        'extern "C" __device__ void NAME();',
        "void __attribute__((x)) NAME()\n{ }",
        "friend auto NAME() -> void;",
        "#define NAME() after()",
        "void S::NAME() {}",
        "ours::NAME();",
        "a<int> :: NAME();",
        "x . NAME();",
        "x -> NAME();",
        "T::template NAME();",
        "#define P(x) x##NAME()",
        "#define WAIT NAME",
        "auto f = &NAME;",
        "call<NAME>();",
        "using ::NAME;",
        "NAME(stream);",
    ],
)
def test_other_uses_of_these_names_are_renamed_with_a_warning(name: str, written: str) -> None:
    text = f"__global__ void k();\n{written}\n".replace("NAME", name)
    assert port(text) == text.replace("cuda", "musa")
    assert len(warnings(text, "unsupported-api")) == 1


@pytest.mark.parametrize("opening", ["<<<", "<< <", "<<  <", "<<\n<", "<<\t<", "<< /* grid */ <", "<< \\\n <"])
@pytest.mark.parametrize("closing", [">>>", ">> >", ">>\n  >", ">> // end\n >", ">> /* block */ >"])
@pytest.mark.parametrize(
    "configuration",
    [
        "1, 32",
        "dim3(g.x, n >> 2), b",
        "grid, block, n * sizeof(std::vector<int>), s.stream()",
        "(n + 31) / 32, {32, 1, 1}, a[i > j], st",
        "n << 2, f<int>(x)",
    ],
)
def test_a_launch_with_blanks(opening: str, closing: str, configuration: str) -> None:
    for kernel in ("k", "ns::k<T, (N > 2)>", "(*kernels[i])"):
        before = f"void f() {{ {kernel}{opening}{configuration}{closing} (p, q); }}\n"
        assert port(before) == f"void f() {{ {kernel}<<<{configuration}>>> (p, q); }}\n"


def test_a_launch_in_a_macro() -> None:
    assert port("#define L(k) k << <1, \\\n  2 >> >\nL(f)(x);") == "#define L(k) k <<<1, \\\n  2 >>>\nL(f)(x);"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#define U #pragma unroll\n", '#define U _Pragma("unroll")\n'),
        ("  #  define U\t# pragma  unroll 1  \n", '  #  define U\t_Pragma("unroll 1")  \n'),
        ("#define U #pragma unroll // all\n", '#define U _Pragma("unroll") // all\n'),
        ('#define M #pragma message "x"\n', '#define M _Pragma("message \\"x\\"")\n'),
        ("/*\n#define U #pragma unroll\n*/\n", None),
        ("#pragma unroll\n", None),
        ("#define F(x) #x\n", None),
        ('#define S "#pragma unroll"\n', None),
    ],
)
def test_a_macro_that_is_a_pragma(before: str, after: str | None) -> None:
    assert port(before) == (after or before)
    assert port("__global__ void k();\n" + before) == "__global__ void k();\n" + (after or before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("alignas(16) int s[4];", "__shared__ _Alignas(16) int s[4];"),
        ("alignas(sizeof(T) > 8 ? f(8) : 4)\n int s;", "__shared__ _Alignas(sizeof(T) > 8 ? f(8) : 4)\n int s;"),
        ("\n  alignas (T) alignas(8) T s;", "__shared__ \n  _Alignas (T) _Alignas(8) T s;"),
        ("[[maybe_unused]] int s;", "[[maybe_unused]] __shared__ int s;"),
        ("[[maybe_unused]] alignas(8) int s;", "[[maybe_unused]] __shared__ _Alignas(8) int s;"),
        ("alignas(8)[[maybe_unused]] int s;", "[[maybe_unused]] __shared__ _Alignas(8) int s;"),
        ("\\\n alignas(16) int s[4];", "__shared__ \\\n _Alignas(16) int s[4];"),
        ("struct alignas(8) S { int a; } s;", None),
        ("__align__(16) int s[4];", None),
        ("int s; struct alignas(4) X {};", None),
        ("int s; /* __shared__ alignas(4) */", None),
        ('int s; f("__shared__ alignas(4)");', None),
    ],
)
def test_attributes_of_shared_memory(before: str, after: str | None) -> None:
    assert port(f"__shared__ {before}") == (after or f"__shared__ {before}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f<T::A>(x);", "f<typename T::A>(x);"),
        ("f< T::A , 2>(x); g<int, T::A>();", "f< typename T::A , 2>(x); g<int, typename T::A>();"),
        ("f<T::B, T::A, T::B>(x, T::A);", None),
        ("f<typename T::A>(x); g<T::A::value, T::AB, S::T::A>();", None),
        ("T::A(x).load(y); z = T::A (x) + T::A{};", "typename T::A(x).load(y); z = typename T::A (x) + T::A{};"),
        ("typename T::A(x).load(y); typename\n  T::A b(x); S::T::A(x); T::A::f(x); y.T::A(x); T::B(x);", None),
        ("f<T::A, T::A>(T::A(1));", "f<typename T::A, typename T::A>(typename T::A(1));"),
        ("struct D : T::A { D() : T::A(1) {} };", None),
        ("template <> struct D<int> final : private T::A { D() : T::A(1) {} };", None),
        ('// f<T::A>\n"f<T::A>";', None),
        ("bool b = i < T::A + 2;", None),
    ],
)
def test_a_type_without_typename(before: str, after: str | None) -> None:
    """nvcc takes the name for a type where a template is used; C++ takes it for a value."""
    marked = "template <class T> void k() { typename T::A a; }\n"
    assert port(marked + before) == marked + (after or before)
    assert port(before) == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("__device__ constexpr int f(int x);", "__host__ __device__ constexpr int f(int x);"),
        ("static constexpr __device__ int f();", "static constexpr __host__ __device__ int f();"),
        ("__device__\nconstexpr\nint f();", "__host__ __device__\nconstexpr\nint f();"),
        ("constexpr __host__ int f();", "constexpr __device__ __host__ int f();"),
        ("template <int N> __device__ inline constexpr A<N, (3)> f();", None),
        ("struct S { __device__ constexpr bool operator==(S o) const; };", None),
        ("__device__ constexpr int operator[](int) const;", "__host__ __device__ constexpr int operator[](int) const;"),
        ("[[nodiscard]] __device__ constexpr int f();", "[[nodiscard]] __host__ __device__ constexpr int f();"),
        ("struct S { __device__ constexpr explicit S(int); };", None),
        ("__host__ __device__ constexpr int f();", ""),
        ("__device__ constexpr int table[] = {1, f(2)};", ""),
        ("__device__ constexpr float a = f(1), b{2};", ""),
        ("template <class T> __device__ constexpr A<T, (3)> zeros = {};", ""),
        ("auto f = [=] __device__ constexpr (int x) { return x; };", ""),
        ("__device__ int f(); constexpr int g();", ""),
        ("if constexpr (x) { __device__ int y; }", ""),
        ("// __device__ constexpr int f();", ""),
        ("__device__ constexpr decltype(1 + 2) v = 3;", ""),
        ("__device__ static constexpr int (*fp)(int) = nullptr;", ""),
        ("__device__ constexpr __attribute__((aligned(16))) int v = 3;", ""),
        ("struct S { __device__ constexpr bool operator<(S o) const; };", None),
        ("struct S { __device__ constexpr operator float() const; };", None),
        ("__device__ constexpr decltype(1 + 2) f();", None),
        # the same functions are declared in another way as well
        ("template <class T> __device__ constexpr T f(T a);\ntemplate <> __device__ int f<int>(int a);", ""),
        ("template <class T> __device__ constexpr T f(T a);\ntemplate __device__ int f<int>(int a);", ""),
    ],
)
def test_constexpr_functions_of_one_side(before: str, after: str | None) -> None:
    """With --expt-relaxed-constexpr nvcc lets the other side call them. `after`: None has `__host__` in front."""
    if after is None:
        after = before.replace("__device__", "__host__ __device__")
    assert port(before) == (after or before)
    assert port(after or before) == (after or before)


def test_constexpr_functions_of_one_side_by_a_macro() -> None:
    """A host compiler may have another macro, so the use stays."""
    text = "#ifdef __CUDACC__\n#define DEV __device__ inline\n#else\n#define DEV inline\n#endif\n"
    use = "DEV constexpr int f(int x);\nDEV int g();\n"
    before, after = text, "#ifdef __MUSACC__\n#define DEV __host__ __device__ inline\n#else\n"
    assert port(before + use).startswith(after) and port(before + use).endswith(use)
    assert port(before + "DEV int g();") == before.replace("CUDACC", "MUSACC") + "DEV int g();"
    for other in (
        "DEV int h();\n__device__ int h();\n",
        "struct S { __device__ int g(); };\nDEV int S::g();\n",
        "template <class T> __device__ T g(T);\ntemplate <> DEV int g(int a);\n",
        "DEV constexpr int v = 3;\n",
        "DEV int v;\n",
    ):
        assert port(before + use + other) == before.replace("CUDACC", "MUSACC") + use + other
    variable = "#define VAR __device__\nVAR constexpr int f(int x);\n"
    assert port(variable) == variable


@pytest.mark.parametrize(
    "text",
    [
        "k<<<g, b>>>(x); std::vector<std::vector<std::vector<int>> > v;",
        "k<<<g, b>>>(x); A<B<C<int>> >(y);",
        "std::ostream& operator<< <T>(std::ostream&, A<B<T>> > const&);",
        "friend X operator << <>(X, Y<Z<T>> >);",
        "os << x << (a < b) << (c >> 2 > d);",
        "int y = a << b; bool z = c >> d > e;",
        'f("k << <1, 1>> >(x)"); // k << <1, 1>> >(x)',
    ],
)
def test_no_launch(text: str) -> None:
    assert port(text) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#define GEMM(T) cublas##T##gemm\n", "#define GEMM(T) mublas##T##gemm\n"),
        ("#define RT(name) cuda ## name\n", "#define RT(name) musa ## name\n"),
        ("#define RT(name) check(cuda##name)\n", "#define RT(name) check(musa##name)\n"),
        ("#define N(x) ncclResult_t nccl##x\n", "#define N(x) mcclResult_t mccl##x\n"),
        ("#define J(a, b) a##b\nJ(cuda, GetLastError)();", "#define J(a, b) a##b\nJ(musa, GetLastError)();"),
        (
            "#define J(a, b) a \\\n ## /* c */ b\nJ( cuda , Free)(p);",
            "#define J(a, b) a \\\n ## /* c */ b\nJ( musa , Free)(p);",
        ),
        ("#define J(a,b,c) a##b##c\nJ(cublas, S, gemm)(h);", "#define J(a,b,c) a##b##c\nJ(mublas, S, gemm)(h);"),
        ("#define D(f) cu##f\nD(MemAlloc)(&p, n);", "#define D(f) mu##f\nD(MemAlloc)(&p, n);"),
        (
            "#define J_(a, b) a##b\n#define J(a, b) J_(a, b)\n#define R(n) J(cuda, n)\nR(Free)(p); J(cufft, Plan1d);",
            "#define J_(a, b) a##b\n#define J(a, b) J_(a, b)\n#define R(n) J(musa, n)\nR(Free)(p); J(mufft, Plan1d);",
        ),
        (
            "BOOST_PP_CAT(cuda, Free)(p); C10_CONCATENATE(curand, Create)",
            "BOOST_PP_CAT(musa, Free)(p); C10_CONCATENATE(murand, Create)",
        ),
        ("#define CHECK(x) check(x, #x)\nCHECK(cudaFree(p));", "#define CHECK(x) check(x, #x)\nCHECK(musaFree(p));"),
        ("#define J(a, b) a##b\nJ(my, cudaFree)", "#define J(a, b) a##b\nJ(my, musaFree)"),
    ],
)
def test_a_pasted_name(before: str, after: str) -> None:
    assert port(before) == after and not warnings(before, "token-pasting")


@pytest.mark.parametrize(
    "text",
    [
        "#define D(f) cu##f\n",
        "#define D(f) cudnn##f\n",
        "RUN(cuda, Free);",
        '#define LOAD(n) p_##n = dlsym(h, "cuda" #n)\n',
        "#define J_(a, b) a##b\n#define J(a, b) J_(a, b)\n#define RT cuda\nJ(RT, Free)(p); J(RT, Malloc)(p);",
        "#define J_(a, b, c) a##b##c\n#define J(a, b, c) J_(a, b, c)\n#define LIB cublas\nJ(LIB, S, gemm);",
        "__global__ void k();\n#define REGISTER(device) f(at::k##device)\n",
    ],
)
def test_a_name_that_may_be_pasted_elsewhere_is_a_warning(text: str) -> None:
    assert port(text) == text and len(warnings(text, "token-pasting")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "#define J(a, b) a##b\nJ(x, y) J(cuda, _helper)",
        "#define F(n) my_cuda_##n\n",
        "TORCH_LIBRARY_IMPL(cuda, CPU, m) {}",
        "f(cuda, Free); run(cuda, x);",
        "#define S(x) #x\nS(cuda)",
        "#define J_(a, b) a##b\n#define J(a, b) J_(a, b)\n#define RT my_cuda\nJ(RT, Free)(p);",
    ],
)
def test_other_pasting(text: str) -> None:
    assert port(text) == text and not warnings(text, "token-pasting")


def test_a_test_of_what_a_function_returns() -> None:
    text = """int sm() {
  int major, minor;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
  if (major) { f(); }
  return major * 10 + minor;
}
bool g() { return sm() >= 80; }
"""
    assert [finding.line for finding in warnings(text, "compute-capability")] == [8]


@pytest.mark.parametrize(
    ("defines", "uses"),
    [
        ("#define R(ns, key, m) TORCH_LIBRARY_IMPL(ns, key, m)", "R(my_ops, CUDA, m) { }"),
        ("#define R(key) STABLE_TORCH_LIBRARY_IMPL(my_ops, key, m)", "R(CUDA) { } R(CPU) { }"),
        ("#define R(key, f) TORCH_LIBRARY_IMPL(a, \\\n  Autograd##key, m) { m.impl(f); }", "R(CUDA, &f)"),
        ("#define R(k, n) TORCH_LIBRARY_IMPL(n, k, m)\n#define S(n, key) R(key, n)", "S(my_ops, /* c */ CUDA) { }"),
        ("#define S(n, key) R(key, n)\n#define R(k, n) TORCH_LIBRARY_IMPL(n, k, m)", "S(my_ops, AutogradCUDA) { }"),
        ("#define R(op, device, f) REGISTER_DEVICE_IMPL(op, device, f)", "R(nms, CUDA, nms_cuda);"),
        ("#define OPS TORCH_LIBRARY_IMPL", "OPS(my_ops, CUDA, m) { }"),
        ("#if A\n#define S TORCH_LIBRARY_IMPL\n#else\n#define S STABLE_TORCH_LIBRARY_IMPL\n#endif", "S(a, CUDA, m)"),
        ("#define R OPS\n#define OPS TORCH_LIBRARY_IMPL\n#define Q(k) R(a, k, m)", "Q(CUDA) R(a, AutogradCUDA, m)"),
    ],
)
def test_a_dispatch_key_given_to_a_macro_of_the_same_text(defines: str, uses: str) -> None:
    text = f"{defines}\n{uses}\nf(x, Own::CUDA, y);\n"
    after = f"{defines}\n{uses.replace('CUDA', 'PrivateUse1')}\nf(x, Own::CUDA, y);\n"
    assert port(text) == after and not warnings(text, "left-over")


@pytest.mark.parametrize(
    "text",
    [
        "OPS_IMPL(my_ops, CUDA, m) { }",
        "REGISTER_KERNEL(AutogradCUDA, f);",
        "#define LIBRARY(n, ...) TORCH_LIBRARY_IMPL(n, __VA_ARGS__)\nLIBRARY(a, CUDA, m) { }",
    ],
)
def test_a_dispatch_key_given_to_a_macro_from_elsewhere_is_a_warning(text: str) -> None:
    (finding,) = warnings(text, "left-over")
    assert port(text) == text and "PrivateUse1" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "#define KEY CUDA\nTORCH_LIBRARY_IMPL(my_ops, KEY, m) { }",
        "#define KEY AutogradCUDA\n#define R(key, f) TORCH_LIBRARY_IMPL(my_ops, key, m) { f(m); }\nR(KEY, f)",
        "#define KEY (CUDA)\nauto k = c10::DispatchKey::KEY;",
        "using enum c10::DispatchKey;\nauto s = c10::DispatchKeySet(CUDA);",
        "bool f(DispatchKey k) { switch (k) { using enum DispatchKey; case CUDA: return true; } }",
        "using c10::DeviceType::CUDA;\nbool f(at::Tensor x) { return x.device().type() == CUDA; }",
        "using K = c10::DispatchKey;\nauto s = c10::DispatchKeySet(K::AutogradCUDA);",
        "using K = c10::DispatchKey;\nusing enum K;\nauto k = CUDA;",
        "#define KEY_OF(x) c10::DispatchKey::x\nauto a = KEY_OF(CUDA);",
        "#ifdef G\n#define K CUDA\n#else\n#define K CPU\n#endif\n#define D(K) TORCH_LIBRARY_IMPL(f, K, m)\nD(K) {}",
        "typedef at::DeviceType Kind;\nbool f(at::Tensor x) { return x.device().type() == Kind::CUDA; }",
        "enum class Own { CPU };\nusing enum c10::DispatchKey;\nauto s = c10::DispatchKeySet(CUDA);",
    ],
)
def test_a_dispatch_key_without_its_type(text: str) -> None:
    assert port(text) == text.replace("CUDA", "PrivateUse1") and not warnings(text, "left-over")


@pytest.mark.parametrize(
    "text",
    [
        "#define KEY CUDA\n",
        "#define A CUDA\n#define B A\nTORCH_LIBRARY_IMPL(my_ops, B, m) { }",
        "#define FOR_KEYS(X) X(CPU) X(CUDA)\n#define R(key) TORCH_LIBRARY_IMPL(a, key, m) { f_##key(m); }\nFOR_KEYS(R)",
        '#define KEYS \\\n  ENTRY(CPU, "cpu") \\\n  ENTRY(CUDA, "cuda")\n',
        "enum Own { CPU, CUDA };\nusing enum c10::DispatchKey;\nauto s = c10::DispatchKeySet(CUDA);",
    ],
)
def test_what_may_be_a_dispatch_key_is_a_warning(text: str) -> None:
    (finding,) = warnings(text, "left-over")
    assert port(text) == text and "PrivateUse1" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "#define KIND Own::CUDA\n",
        "using enum c10::DispatchKey;\n#ifdef CUDA\n#elif defined(CUDA)\n#endif\nbool b = x.CUDA || Own::CUDA;",
        "#define CUDA 1\n",
        "enum Own { CPU, CUDA };\nusing K = c10::DispatchKey;\nbool f(Own o) { return o == CUDA || o == Own::CUDA; }",
        "enum class Backend { CPU, CUDA };",
        "// OPS_IMPL(my_ops, CUDA, m)\nvoid cudaless();",
        'const char* s = "OPS_IMPL(my_ops, CUDA, m)";',
        "OPS_IMPL(my_ops, CUDA::f, m) { }",
    ],
)
def test_another_word_cuda_is_no_warning(text: str) -> None:
    assert port(text) == text and not warnings(text, "left-over")


@pytest.mark.parametrize(
    "arguments",
    [
        "#ifdef A\n  my_ops,\n#else\n  others,\n#endif\n  [CUDA], m",
        "#if defined(A) && (B > 1)\n  a,\n#elif defined(C)\n  b,\n#else\n  others,\n#endif\n  Autograd[CUDA], m",
        "my_ops,\n#ifdef USE_ROCM\n  HIP,\n#else\n  [CUDA],\n#endif\n  m",
        "my_ops,\n#ifndef USE_ROCM\n  [CUDA]\n#else\n  HIP\n#endif\n  , m",
        "my_ops\n#ifdef A\n  , [CUDA]\n#else\n  , CPU\n#endif\n  , m",
    ],
)
def test_a_registration_with_conditions_among_its_arguments(arguments: str) -> None:
    before = f"TORCH_LIBRARY_IMPL(\n{arguments}) {{ }}\n"
    after = before.replace("[CUDA]", "PrivateUse1")
    before = before.replace("[CUDA]", "CUDA")
    assert port(before) == after and not warnings(before, "left-over")


NO_MUSA = "c10::DeviceType::PrivateUse1"
STABLE = "torch::headeronly::DeviceType::PrivateUse1"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x.is_cuda() && !p->is_cuda()", "x.is_privateuseone() && !p->is_privateuseone()"),
        ("x.device().is_cuda()", "x.device().is_privateuseone()"),
        ("AT_ASSERTM(!x.type().is_cuda(), 1)", "AT_ASSERTM(!x.is_privateuseone(), 1)"),
        (
            "p->type().is_cuda() || f(a)[0] . type ( ) . is_cuda ()",
            "p->is_privateuseone() || f(a)[0] . is_privateuseone ()",
        ),
        ("auto t = x.type(); g(!t.is_cuda());", f"auto t = x.type(); g(!(t.device_type() == {NO_MUSA}));"),
        (
            "void f(const at::DeprecatedTypeProperties& t) { t.is_cuda(); }",
            f"void f(const at::DeprecatedTypeProperties& t) {{ (t.device_type() == {NO_MUSA}); }}",
        ),
        (
            "bool f(const PackedSequence& s) { return s.is_cuda(); }",
            "bool f(const PackedSequence& s) { return s.data().is_privateuseone(); }",
        ),
        (
            "torch::stable::Tensor t; bool b = !t.is_cuda() && v[i].get(x, (y))->is_cuda();",
            f"torch::stable::Tensor t; bool b = !(t.device().type() == {STABLE}) "
            f"&& (v[i].get(x, (y))->device().type() == {STABLE});",
        ),
        (
            "bool f(torch::stable::Device d) { auto e = t.device(); "
            "return d.is_cuda() || e.is_cuda() || t.device().is_cuda(); }",
            "bool f(torch::stable::Device d) { auto e = t.device(); return "
            f"(d.type() == {STABLE}) || (e.type() == {STABLE}) || (t.device().type() == {STABLE}); }}",
        ),
        ("bool is_cuda(int x); is_cuda(3);", "bool is_cuda(int x); is_cuda(3);"),
    ],
)
def test_whether_something_is_on_the_device(before: str, after: str) -> None:
    assert port(before) == after


def test_the_classes_of_pytorch_without_is_privateuseone_are_those_that_porting_knows() -> None:
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        pytest.skip("torch is not installed")
    include = Path(spec.origin).parent / "include"
    found = {}
    for path in include.rglob("*.h"):
        text = path.read_text(encoding="utf-8", errors="replace")
        if re.search(r"bool is_cuda\(\) const", text) and "is_privateuseone() const" not in text:
            found[path.relative_to(include).as_posix()] = path
    assert set(found) == {
        "ATen/core/DeprecatedTypeProperties.h",
        "ATen/core/symbol.h",  # whether an operator is in a namespace called cuda
        "torch/csrc/api/include/torch/nn/utils/rnn.h",
        "torch/csrc/stable/device_struct.h",
        "torch/csrc/stable/tensor_struct.h",
    }


@pytest.mark.parametrize(
    "test",
    [
        "if (p.major < 8) f();",
        "if (8 > p.major) f();",
        "return q->major == 9 && ok;",
        "TORCH_CHECK(at::cuda::getCurrentDeviceProperties()->major >= 8, text);",
        "int v = p.major * 10 + p.minor; if (v < 53) f();",
        "const int a = q->major, b = 0; auto v = 10 * a; assert(v >= 75);",
        "int v = q->major * 10 + q->minor; if (v < 53) f();",
        "auto v = 100 * (q->major) + q->minor * 10; return v >= 800 ? 128 : 64;",
        "return p.major * 10 + p.minor >= kMinimum;",
        "return (p.major * 100 +\n    p.minor) != 705;",
        "switch (p.major) { case 7: f(); }",
        "bool x = MIN_MAJOR <= p.major;",
        "int a; cudaDeviceGetAttribute(&a, cudaDevAttrComputeCapabilityMajor, 0); if (a >= 7) f();",
        "int a; cuDeviceGetAttribute(&a, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d); b = a > 6;",
        "cuDeviceComputeCapability(&a, &b, d); if (10 * a + b >= 70) f();",
        "if (getSMVersion() >= 90) f();",
        "int v = (p.major << 4) + p.minor; if (v < 0x80) f();",
        "if (get_compute_capability(d) < 80) f();",
        "if (std::min(p.major, 8) == 8) f();",
        "if (std::make_pair(p.major, p.minor) >= std::make_pair(8, 0)) f();",
        "return std::tie(p.major, p.minor) < std::make_tuple(8, 0);",
        "if (std::pair<int, int>{p.major, p.minor} >= std::pair{8, 0}) f();",
        "auto [x, y] = std::make_pair(p.major, p.minor); if (x >= 8) f();",
        "int x, y; std::tie(x, y) = std::make_pair(q->major, q->minor); if (x >= 8) f();",
        "std::pair<int, int> c{p.major, p.minor}; if (c.first >= 8) f();",
        "const std::array<int, 2> c = {p.major, p.minor}; if (std::get<0>(c) == 8) f();",
        "int c[] = {p.major, p.minor}; if (c[0] >= 8) f();",
        "auto c = [&] { return p.major * 10 + p.minor; }; if (c() >= 80) f();",
        "auto c = [](const cudaDeviceProp& p) -> int { return 10 * p.major; }; bool b = c(p) >= 80;",
        "auto newer = [&](int n) { return p.major >= n; };",
        "switch (p.major * 10 + p.minor) { case 80: f(); }",
        "const char* s = names[p.major];",
        'if (std::to_string(p.major) == "8") f();',
        "if (known.count(p.major)) f();",
        "bool b = std::greater_equal<>{}(p.major, 8);",
        "if (p.major >= wanted) f();",
        "if ((static_cast<int>(p.major) << 4) >= (8 << 4)) f();",
        "require(p.major, 8);",
        "CHECK_GE(p.major, 8);",
        "int v[2]; cudaDeviceGetAttribute(&v[0], cudaDevAttrComputeCapabilityMajor, 0); return v[0] >= 8;",
        "int v[2]; cudaDeviceGetAttribute(v + 1, cudaDevAttrComputeCapabilityMajor, 0); return v[1] >= 8;",
        "cudaDeviceGetAttribute(&i->sm, cudaDevAttrComputeCapabilityMajor, 0); return i->sm >= 8;",
        "auto const& [maj, min] = std::pair(p.major, p.minor); return maj * 10 + min != 75;",
        "return static_cast<Arch>(p.major) == Volta;",
        "return std::max({p.major, 5}) > 5;",
        'auto s = std::to_string(p.major) + std::to_string(p.minor); bool b = s == "80";',
    ],
)
def test_a_test_of_the_compute_capability(test: str) -> None:
    text = f"void g(const cudaDeviceProp& p, const cudaDeviceProp* q) {{\n{test}\n}}\n"
    (finding, *others) = warnings(text, "compute-capability")
    assert 2 <= finding.line <= 3 and not others


@pytest.mark.parametrize(
    "text",
    [
        'printf("%d.%d >= 3", p.major, p.minor);',
        "std::vector<int> v = {p.major, p.minor};",
        "if (p.major == q.major) f();",
        "if (p.multiProcessorCount > 8) f();",
        "// if (p.major < 8)",
        "int best = 0; if (p.major > best) best = p.major;",
        "std::pair<int, int> c(p.major, p.minor); auto [a, b] = c; print(a, b);",
    ],
)
def test_no_test_of_the_compute_capability(text: str) -> None:
    assert not warnings(f"void g(cudaDeviceProp p, cudaDeviceProp q) {{ {text} }}", "compute-capability")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("bool above(int have, int want) {\n  return have >= want;\n}\nbool g(P p) { return above(p.major, 8); }", [2]),
        ("int cc(P p) { return p.major; }\nbool f(int n) {\n  return n > 7;\n}\nbool g(P p) { return f(cc(p)); }", [3]),
        (
            "auto cc(P p) { return std::pair{p.major, p.minor}; }\nbool g() {\n  auto [a, b] = cc(p); return a > 7; }",
            [3],
        ),
        (
            "int sm() {\n  int v = [] { P p; return p.major; }();\n  return v;\n}\nint g() { return sm() > 7; }",
            [5],
        ),
        ("void cc(int& a, int* b) { P p; a = p.major; *b = p.minor; }\nint g() { cc(x, &y);\n  return y > 7; }", [3]),
        ("int f(int n) { return n; }\nint h(int n) { return n > 7; }\nint g(P p) { return f(p.major); }", [3]),
    ],
)
def test_a_capability_that_functions_hand_on(text: str, lines: list[int]) -> None:
    found = warnings(f"using P = cudaDeviceProp;\n{text}\n", "compute-capability")
    assert [finding.line for finding in found] == [line + 1 for line in lines]


def test_the_version_of_something_else_is_no_compute_capability() -> None:
    assert not warnings("bool b = version.major >= 3; cudaFree(p);", "compute-capability")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("auto i = cg::this_grid().thread_rank();", 0),
        ("auto grid = cg::this_grid(); int n = grid.size(); block.sync(); cg::sync(block);", 0),
        ("void f(cg::grid_group g); f(cg::this_grid());", 0),
        ("cg::this_grid().sync();", 1),
        ("cg::sync(cg::this_grid()); sync(this_grid());", 2),
        ("auto grid = cooperative_groups::this_grid(); grid.sync();", 1),
        ("const auto& grid = cg::this_grid(); cg::sync(grid); grid.barrier_wait(grid.barrier_arrive());", 3),
        ("cg::grid_group g = cg::this_grid(); g . sync ( );", 1),
        ("auto const h{cg::this_grid()}; h.sync();", 1),
        ("cg::grid_group k(cg::this_grid()); k.sync();", 1),
        ("void f(cg::grid_group const& g, grid_group* p) { g.sync(); p->sync(); }", 2),
        ("using G = cg::grid_group; void f(G g) { g.sync(); }", 1),
        ("typedef cg::multi_grid_group M; M m = cg::this_multi_grid(); m.sync();", 1),
        ("cudaLaunchCooperativeKernel(f, g, b, a);", 1),
    ],
)
def test_a_barrier_of_the_grid(text: str, count: int) -> None:
    assert len(warnings("__global__ void k();\n" + text, "cooperative-launch")) == count
