"""Link stubs replace functions alone: data, vtables and type information are refused by name."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

from musa_build.builder.plan import BuildPlan, CompileStep, DeviceLinkStep, LinkStep
from musa_build.errors import ForceMusaError
from musa_build.force_musa import excluded_sources, link_stubs
from musa_build.force_musa.link_stubs import is_function, with_stubs
from musa_build.toolchain.compilers import Language


@pytest.mark.parametrize(
    ("symbol", "readable"),
    [
        ("_Z1fi", "f(int)"),
        ("_ZNK1C1fEv", "C::f() const"),
        ("_ZNKR1C1fEv", "C::f() const &"),
        ("_Z1fB5cxx11v", "f[abi:cxx11]()"),
        ("_Z3getIiEPFvfEi", "void (*get<int>(int))(float)"),
        ("_ZZ1fvENKUlvE_clEv", "f()::{lambda()#1}::operator()() const"),
        ("_ZN1CC1Ev", "C::C()"),
    ],
)
def test_a_mangled_name_with_parameters_is_a_function(symbol: str, readable: str) -> None:
    assert is_function(symbol, readable, set())


@pytest.mark.parametrize(
    ("symbol", "readable"),
    [
        ("table", "table"),  # C, or data: nothing tells
        ("_ZN2ns5tableE", "ns::table"),
        ("_ZN6HolderIFviEE5valueE", "Holder<void (int)>::value"),  # a template's static member
        ("_ZZ1fiE1x", "f(int)::x"),  # a function's static variable
        ("_ZTV1C", "vtable for C"),
        ("_ZTI1C", "typeinfo for C"),
        ("_ZTIFvvE", "typeinfo for void ()"),
        ("_ZTSFvvE", "typeinfo name for void ()"),
        ("_ZTT1C", "VTT for C"),
        ("_ZTC1D0_1C", "construction vtable for C-in-D"),
        ("_ZGVZ1fvE1x", "guard variable for f()::x"),
        ("_ZGRN1x1yE_", "reference temporary #0 for x::y"),
        ("_ZTH1x", "TLS init function for x"),
        ("_ZTW1x", "TLS wrapper function for x"),
        ("_Z1fi", "_Z1fi"),  # there is no c++filt
    ],
)
def test_what_is_not_known_to_be_a_function_is_none(symbol: str, readable: str) -> None:
    assert not is_function(symbol, readable, set())


def test_what_is_called_is_a_function_whatever_its_name() -> None:
    assert is_function("launch", "launch", {"launch"})
    assert not is_function("_ZTV1C", "vtable for C", {"launch"})


# --- with a compiler: each kind of name that a left-out source may define

HEADER = """
#include <exception>
#include <string>
#include <typeinfo>
struct Plain { static int member; int method(int) const; };
template <typename T> struct Holder { static T value; };
struct Virtual { virtual ~Virtual(); virtual int ask(); };
inline int once() { static int made = 7; return made; }
inline int shared_static = 5;
extern "C" int c_function(int);
extern "C" int c_data;
int Pyramid(int);
extern "C" void* PyList_New(long);
extern int table[4];
namespace ns { extern const double scale; int function(const char*); }
extern thread_local int per_thread;
template <typename T> T templated(T);
extern template int templated<int>(int);
extern template struct Holder<void (*)(int)>;
"""


def plan_of(folder: Path, use: str) -> BuildPlan:
    """A library of two sources; that which defines what `use` needs is not there. The other is compiled."""
    (folder / "names.h").write_text(HEADER)
    use_cpp, object_file, library = folder / "use.cpp", folder / "use.cpp.o", folder / "libuse.so"
    use_cpp.write_text(f'#include "names.h"\nextern "C" int use() {{ {use} }}\n')
    (folder / "gone.cpp").write_text("#error does not compile\n")
    command = ("c++", "-std=c++17", "-fPIC", "-O1", "-c", str(use_cpp), "-o", str(object_file))
    subprocess.run(command, check=True)
    gone = CompileStep("demo", Language.CXX, str(folder / "gone.cpp"), str(folder / "gone.cpp.o"), ("false",))
    inputs = (str(object_file), gone.output)
    link = LinkStep("demo", inputs, str(library), ("c++", "-shared", *inputs, "-o", str(library)), str(library))
    return BuildPlan((CompileStep("demo", Language.CXX, str(use_cpp), str(object_file), command), gone), (link,))


def stubbed(folder: Path, use: str) -> BuildPlan:
    plan = plan_of(folder, use)
    return with_stubs(plan, {plan.compiles[1].output: "does not compile"}, ("c++",), folder)[0]


@pytest.mark.compiles
@pytest.mark.parametrize(
    ("use", "symbol"),
    [
        ("return table[0];", "table"),
        ("return ns::scale > 0;", "ns::scale"),
        ("return c_data;", "c_data"),
        ("return per_thread;", "per_thread"),
        ("return Plain::member;", "Plain::member"),
        ("Holder<void (*)(int)>::value(1); return 0;", "Holder<void (*)(int)>::value"),
        ("Virtual v; return v.ask();", "vtable for Virtual"),
        ("return typeid(Virtual).name()[0];", "typeinfo for Virtual"),
        ("return c_function(table[1]);", "table"),
        # The address of a C function is taken, it is not called: it could be data.
        ("static volatile auto f = &c_function; return f(1);", "c_function"),
    ],
)
def test_data_is_refused_by_name(tmp_path: Path, use: str, symbol: str) -> None:
    with pytest.raises(ForceMusaError) as caught:
        stubbed(tmp_path, use)
    assert symbol in caught.value.found and "gone.cpp" in str(caught.value)


@pytest.mark.compiles
@pytest.mark.parametrize(
    ("use", "name"),
    [
        ("return c_function(1);", "c_function"),
        ('return ns::function("");', "ns::function"),
        ("return Plain().method(1);", "Plain::method"),
        ("return templated<int>(1);", "templated<int>"),
        ('static volatile auto f = &ns::function; return f("");', "ns::function"),
        ("return once() - 7 + shared_static - 5;", ""),  # inline: every user has its own copy
    ],
)
def test_functions_are_stubbed_and_raise(tmp_path: Path, use: str, name: str) -> None:
    caught = (
        f"try {{ {use} }} catch (const std::exception& error) {{ return std::string(error.what()).find("
        f'"{name} is not available") == std::string::npos ? 2 : 1; }}'
    )
    plan = stubbed(tmp_path, caught)
    for step in (*plan.compiles, *plan.links):
        subprocess.run(step.command, check=True)
    answer = ctypes.CDLL(plan.links[0].output).use()
    assert answer == (1 if name else 0)


@pytest.mark.compiles
def test_a_function_of_ones_own_may_begin_like_pythons(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "return Pyramid(PyList_New(0) != nullptr);")
    found = link_stubs.with_stubs(plan, {plan.compiles[1].output: "x"}, ("c++",), tmp_path)[1][0].symbols
    assert found == ("_Z7Pyramidi",)


def test_objects_that_are_left_out_are_linked_nowhere() -> None:
    objects = ("a.o", "b.o")
    compiles = tuple(CompileStep("x", Language.MUSA, name[0], name, ("mcc",)) for name in objects)
    device = DeviceLinkStep("x", objects, "d.o", ("mcc", *objects, "-o", "d.o"))
    link = LinkStep("x", (*objects, "d.o"), "x.so", ("c++", *objects, "d.o", "-o", "x.so"), "x.so")
    plan = excluded_sources.without_objects(BuildPlan(compiles, (link,), (device,)), {"b.o"})
    assert [step.output for step in plan.compiles] == ["a.o"] and not plan.links and not plan.device_links
