"""Decisions without reading or running anything: flags, libraries, levels, names, Python modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from musa_build.cuda_toolkit.libraries import libraries
from musa_build.environment.settings import Settings
from musa_build.errors import SettingError
from musa_build.force_musa import extension_conversion
from musa_build.force_musa.package_name import Package, identify
from musa_build.force_musa.python_rewrite import for_musa
from musa_build.force_musa.quirks import PackageQuirks, quirks_of
from musa_build.force_musa.source_porting import port_sources
from musa_build.porting.engine.library_names import COUNTERPARTS
from musa_build.porting.engine.named_strings import library_name


def test_libraries_of_cuda_become_musas() -> None:
    linked = extension_conversion.libraries(["cudart", "cublas", "png", "curand", "c10_cuda"])
    assert linked == ["mublas", "png", "murand"]
    linked = extension_conversion.libraries(["cuda", "nvidia-ml", "cupti", "cublas_static", "nvToolsExt", "culibos"])
    assert linked == ["musa", "mupti", "mublas"]
    assert extension_conversion.link_flags(["-s", "-lcurand", "-lcudart", "-lgomp"]) == ["-s", "-lmurand", "-lgomp"]


@pytest.mark.parametrize(
    "name", [name for name, musa in COUNTERPARTS.items() if musa and name not in ("cudart", "nvidia-ml")]
)
def test_every_way_gives_a_library_the_same_counterpart(name: str) -> None:
    (linked,) = extension_conversion.libraries([name])
    assert extension_conversion.link_flags([f"-l{name}"]) == [f"-l{linked}"]
    assert library_name(f"lib{name}.so") == f"lib{linked}.so"
    (file,) = (each for each in libraries("/sdk/lib", [f"lib{linked}.so"], "/toolkit") if each.name == f"lib{name}.so")
    assert f"/sdk/lib/lib{linked}.so" in (file.link or file.content.decode())


def test_flags_are_nvccs_and_paths_move() -> None:
    def as_is(path: str) -> str:
        return f"/ported/{path}"

    assert extension_conversion.compile_flags(["-O2"], as_is, {}) == {"cxx": ["-O2"], "nvcc": ["-O2"]}
    assert extension_conversion.compile_flags({"cxx": ["-Icsrc", "-isystem", "more"]}, as_is, {}) == {
        "cxx": ["-I/ported/csrc", "-isystem", "/ported/more"],
        "nvcc": [],
    }
    assert extension_conversion.compile_flags(None, as_is, {}) == {"cxx": [], "nvcc": []}
    variables = {"NVCC_PREPEND_FLAGS": "-DA='x y'", "NVCC_APPEND_FLAGS": "-Icsrc"}
    assert extension_conversion.compile_flags({"cxx": ["-g"], "nvcc": ["-O2"]}, as_is, variables) == {
        "cxx": ["-g"],
        "nvcc": ["-DA=x y", "-O2", "-I/ported/csrc"],
    }
    with_own_keys = {"gcc": ["-O1"], "sycl": ["-x"], "nvcc": ["-O2"], "nvcc_dlink": ["-dlink"]}
    assert extension_conversion.compile_flags(with_own_keys, as_is, {}) == {
        "cxx": ["-O1"],
        "nvcc": ["-O2"],
        "nvcc_dlink": ["-dlink"],
    }
    assert extension_conversion.compile_flags({"c": ["-O1"], "cxx": ["-O3"]}, as_is, {})["cxx"] == ["-O3"]
    with pytest.raises(SettingError, match="NVCC_APPEND_FLAGS is not text of a shell"):
        extension_conversion.compile_flags([], as_is, {"NVCC_APPEND_FLAGS": "-DA='"})


def test_an_extension_with_cuda_sources_is_one_for_the_device_whatever_it_is_called() -> None:
    assert extension_conversion.is_for_device(["a.cpp", "b.cu"], [])
    assert extension_conversion.is_for_device(["a.cpp"], ["cudart"])
    assert not extension_conversion.is_for_device(["a.cpp"], ["png"])


@pytest.mark.parametrize(
    ("file", "text", "package"),
    [
        ("PKG-INFO", "Metadata-Version: 2.1\nName: Causal_Conv1d\nVersion: 1.7.0\n\nname = x\n", "causal-conv1d 1.7.0"),
        ("pyproject.toml", '[project]\nname = "inplace_abn"\n', "inplace-abn "),
        ("setup.cfg", "[metadata]\nname = warp.rnnt\n", "warp-rnnt "),
        ("setup.py", "setup(\n    name='torch_scatter',\n    version=v)\n", "torch-scatter "),
        ("setup.py", "setup(name=NAME)\n", " "),
        ("setup.py", "import setuptools\nsetuptools.setup(name='one_line', version=v)\n", "one-line "),
        ("setup.py", "NAME = 'by_variable'\nsetup(name=NAME)\n", "by-variable "),
        ("setup.py", "e = CUDAExtension(\n    name='other._C',\n)\nsetup(name='demo', ext_modules=[e])\n", "demo "),
        ("setup.py", "print 'Python 2'\nsetup(name='demo')\n", " "),
        ("pyproject.toml", '[build-system]\nname = "other"\n[tool.poetry]\nname = "poems"\n', "poems "),
        ("pyproject.toml", "[project\n", " "),
        ("setup.cfg", "[metadata]\nname = attr: demo.__name__\n", " "),
        ("setup.cfg", "name = demo\n", " "),
    ],
)
def test_a_project_is_known_by_its_files(tmp_path: Path, file: str, text: str, package: str) -> None:
    (tmp_path / file).write_text(text)
    found = identify(tmp_path)
    assert f"{found.name} {found.version}" == package


def test_packages_that_need_more_are_listed() -> None:
    settings = Settings({}, {})
    assert quirks_of(Package("monai"), settings).environment == {"BUILD_MONAI": "1"}
    assert quirks_of(Package("mmcv"), settings) == quirks_of(Package(""), settings) == PackageQuirks()


@pytest.mark.parametrize(
    ("text", "said"), [(None, "cannot be read"), ("[demo", "valid TOML"), ("[demo]\nlevel = 3\n", "cannot be used")]
)
def test_a_file_of_package_rules_that_is_none(tmp_path: Path, text: str | None, said: str) -> None:
    rules = tmp_path / "packages.toml"
    if text is not None:
        rules.write_text(text)
    with pytest.raises(SettingError, match=said):
        quirks_of(Package("demo"), Settings({"MUSA_BUILD_FORCE_PACKAGES": str(rules)}, {}))


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("launch(x, torch.cuda.current_stream().cuda_stream)", "launch(x, torch.musa.current_stream().musa_stream)"),
        ("import cupy\nwait(event.cuda_event, s.cuda_stream)", "import cupy\nwait(event.musa_event, s.musa_stream)"),
        ("cuda_stream = f(cuda_stream=1)", "cuda_stream = f(cuda_stream=1)"),
        ("a.cuda_stream\nclass A:\n    cuda_stream: int\n", "a.cuda_stream\nclass A:\n    cuda_stream: int\n"),
        ("self.cuda_stream = s\nb = a.cuda_stream", "self.cuda_stream = s\nb = a.cuda_stream"),
        ("def cuda_stream(): pass\na.cuda_stream", "def cuda_stream(): pass\na.cuda_stream"),
        ("a.cuda_stream()", "a.cuda_stream()"),
    ],
)
def test_the_runtimes_streams_and_events_of_pytorchs(text: str, changed: str) -> None:
    assert for_musa(text) == changed


PYTHON = '''\
import torch.cuda.amp
def f(x: torch.cuda.LongTensor, device="cuda"):
    """Runs on "cuda"."""
    if x.is_cuda and torch.cuda.is_available():  # cuda
        y = torch.cuda.FloatTensor(n, (2)).fill_(1)
    self.cuda = torch.version.cuda
    torch.version.cuda = self.version.cuda
    stream = torch._C._cuda_getCurrentRawStream(0)
    return x.cuda(), {'cuda:1': f"cuda"}, my.cuda, "cuda kernel"
'''

MUSA = '''\
import torch.cuda.amp
def f(x: torch.musa.LongTensor, device="musa"):
    """Runs on "cuda"."""
    if x.is_musa and torch.musa.is_available():  # cuda
        y = torch.musa.FloatTensor(n, (2)).fill_(1)
    self.cuda = (torch.version.cuda or "12.4")
    torch.version.cuda = self.version.cuda
    stream = torch.musa._MUSAC._musa_getCurrentRawStream(0)
    return x.musa(), {'musa:1': f"cuda"}, my.cuda, "cuda kernel"
'''


def test_python_modules_ask_for_musa() -> None:
    assert for_musa(PYTHON) == MUSA
    assert for_musa(MUSA) == MUSA


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('a = "rocm" if hip else "cuda"', 'a = "rocm" if hip else "cuda"'),
        ("a = 'cuda' if f(x if y else z) else 'HIP'", "a = 'cuda' if f(x if y else z) else 'HIP'"),
        (
            'f("rocm" if [x if "a" else "b"] else "cuda", "cuda")',
            'f("rocm" if [x if "a" else "b"] else "cuda", "musa")',
        ),
        ('a = "cpu" if x else "cuda"', 'a = "cpu" if x else "musa"'),
        ('a = "rocm" if x else "b" if y else "cuda"', 'a = "rocm" if x else "b" if y else "musa"'),
        ('a = "rocm", "b" if y else "cuda"', 'a = "rocm", "b" if y else "musa"'),
        ('if x: a = "rocm"\nelse: a = "cuda"', 'if x: a = "rocm"\nelse: a = "musa"'),
        ('a = "cuda" if x else "cpu"', 'a = "musa" if x else "cpu"'),
        ('a = ["cuda" for x in y if x], z if u else "hip"', 'a = ["musa" for x in y if x], z if u else "hip"'),
    ],
)
def test_a_platform_beside_rocm_is_no_device(text: str, wanted: str) -> None:
    assert for_musa(text) == wanted
    assert for_musa(wanted) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("from torch._C import _cuda_f as g\n", "from torch_musa._MUSAC import _musa_f as g\n"),
        ("from torch._C import _cuda_f\n", "from torch_musa._MUSAC import _musa_f as _cuda_f\n"),
        (
            "from torch._C import (\n    _cuda_f as _cuda_g,\n    _cuda_h,\n)\n_cuda_h()\n",
            "from torch_musa._MUSAC import (\n    _musa_f as _cuda_g,\n    _musa_h as _cuda_h,\n)\n_cuda_h()\n",
        ),
        ("from torch._C import _cuda_f, Graph\n", "from torch._C import _cuda_f, Graph\n"),
        ("a = my.torch_C._cuda_f\n", "a = my.torch_C._cuda_f\n"),
    ],
)
def test_private_functions_are_those_of_torch_musa(text: str, wanted: str) -> None:
    assert for_musa(text) == wanted
    assert for_musa(wanted) == wanted


CAPABILITY = "(lambda musa: (8, 9) if musa >= (3, 1) else (8, 0) if musa >= (2, 2) else (7, 5))"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("torch.cuda.get_device_capability()[0] >= 8", CAPABILITY + "(torch.musa.get_device_capability())[0] >= 8"),
        (
            "f(torch.cuda.get_device_capability(\n    torch.cuda.device(i)), 1)",
            f"f({CAPABILITY}(torch.musa.get_device_capability(\n    torch.musa.device(i))), 1)",
        ),
        ("f = torch.cuda.get_device_capability", "f = torch.musa.get_device_capability"),
        ("torch.cuda.get_arch_list()", '["sm_75", "sm_80", "sm_89"]'),
    ],
)
def test_architectures_have_cudas_numbers(text: str, wanted: str) -> None:
    assert for_musa(text) == wanted
    assert for_musa(wanted) == wanted


@pytest.mark.parametrize(("card", "number"), [((2, 1), (7, 5)), ((2, 2), (8, 0)), ((3, 1), (8, 9)), ((4, 0), (8, 9))])
def test_the_capability_is_that_of_the_toolkit(card: tuple[int, int], number: tuple[int, int]) -> None:
    device = SimpleNamespace(musa=SimpleNamespace(get_device_capability=lambda index: card))
    assert eval(for_musa("torch.cuda.get_device_capability(0)"), {"torch": device}) == number


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('@torch.library.impl("my::f", ["CUDA"])', '@torch.library.impl("my::f", ["PrivateUse1"])'),
        ("lib.impl('f', g(x), 'AutogradCUDA')", "lib.impl('f', g(x), 'AutogradPrivateUse1')"),
        ('torch.library.Library("my", "IMPL", "CUDA")', 'torch.library.Library("my", "IMPL", "PrivateUse1")'),
        ('impl("f", dispatch_key=("CUDA" if x else "CPU"))', 'impl("f", dispatch_key=("PrivateUse1" if x else "CPU"))'),
        ('impl("f", g("CUDA"))', 'impl("f", g("CUDA"))'),
        ('print("CUDA")', 'print("CUDA")'),
        ('impl\n("CUDA")', 'impl\n("CUDA")'),
    ],
)
def test_operators_are_registered_for_the_device(text: str, wanted: str) -> None:
    assert for_musa(text) == wanted
    assert for_musa(wanted) == wanted


SCRIPT = """
import torch

@torch.jit.script
class Pair:
    def __init__(self, row: torch.Tensor):
        self.row = row
        if row.is_cuda:
            self.row = row.cpu()

    def cuda(self):
        return Pair(self.row.cuda())

    def is_cuda(self) -> bool:
        return self.row.is_cuda and True

def move(pair, x):
    return pair.is_cuda(), x.is_cuda, x.cuda()
"""


def test_torchscript_is_left_with_what_it_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = for_musa(SCRIPT)
    assert text.count('row.device.type.startswith("musa")') == 2
    assert "Pair(self.row.cuda())" in text
    assert text.endswith("    return pair.is_cuda(), x.is_musa, x.musa()\n")
    assert for_musa(text) == text
    module = tmp_path / "scripted.py"  # TorchScript reads the source
    module.write_text(text)
    spec = importlib.util.spec_from_file_location("scripted", module)
    assert spec and spec.loader
    scripted = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "scripted", scripted)
    spec.loader.exec_module(scripted)
    assert not scripted.Pair(torch.ones(2)).is_cuda()


@pytest.mark.parametrize("separator", ["\x0c", "# \x0b", "# \x1c\n", "'\u2028'\n", "# \x85\n"])
def test_lines_end_where_python_says(separator: str) -> None:
    text = f"import torch\n{separator}\ndef f(x):\n    y = x.cuda()\n    assert y.is_cuda, 1\n"
    assert for_musa(text) == text.replace("cuda", "musa")


@pytest.mark.parametrize("text", ["no cuda here", "def (:\n    cuda", "x = '''cuda", ""])
def test_what_is_no_python_stays(text: str) -> None:
    assert for_musa(text) == text


def test_mmcvs_sources_are_as_clang_needs_them(tmp_path: Path) -> None:
    signature = "__device__ __forceinline__ static void reduceAdd(float *address, float val) {"
    scatter = f"#ifdef __CUDA_ARCH__\n{signature}\n#if (__CUDA_ARCH__ < 200)\n#endif\n}}\n#endif\n"
    lrelu = "#ifdef __GNUC__\n#if __GNUC__ < 6\n#undef BUILD_FILTERED_LRELU_OP\n#endif\n#endif\n"
    source = tmp_path / "csrc" / "kernels.cu"
    source.parent.mkdir()
    source.write_text(scatter + lrelu)
    ported = port_sources(tmp_path / "build", [str(source)], (), tmp_path)
    text = Path(ported.to_ported(str(source))).read_text()
    assert text == (
        f"#ifdef __MUSACC__\n{signature}\n#if ((defined(__MUSA_ARCH__) && __MUSA_ARCH__ < 100))\n#endif\n}}\n#endif\n"
        "#ifdef __GNUC__\n#if (__GNUC__ < 6 && !defined(__clang__))\n#undef BUILD_FILTERED_LRELU_OP\n#endif\n#endif\n"
    )
    assert Path(ported.to_copy(str(source))).read_text() == source.read_text()


def test_rules_of_a_package_win(tmp_path: Path) -> None:
    source = tmp_path / "csrc" / "kernels.cu"
    source.parent.mkdir()
    source.write_text("#define WIDTH 32\n")
    ported = port_sources(tmp_path / "build", [str(source)], (), tmp_path, {"WIDTH 32": "WIDTH 64"})
    assert Path(ported.to_ported(str(source))).read_text() == "#define WIDTH 64\n"
