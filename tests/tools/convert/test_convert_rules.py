"""The converter's changes, rule by rule."""

from __future__ import annotations

import re
import sys
import types

import pytest
from converting import converted, notes, result

from musa_tools.convert.edits import LEFT, UNCLEAR, UNSUPPORTED
from musa_tools.convert.vocabulary import MEMBERS, RENAMED, musa_path

TORCH = "import torch\n"


@pytest.mark.parametrize(
    ("cuda", "musa"),
    [
        ("torch.cuda.synchronize()", "torch.musa.synchronize()"),
        ("torch . cuda . synchronize()", "torch . musa . synchronize()"),
        ("(torch\n .cuda  # the device\n .synchronize())", "(torch\n .musa  # the device\n .synchronize())"),
        ("torch.cuda.CUDAGraph()", "torch.musa.MUSAGraph()"),
        ("torch.cuda.random.manual_seed(3)", "torch.musa.manual_seed(3)"),
        ("torch.cuda.nccl.version()", "torch.musa.mccl.version()"),
        ("torch.cuda.streams.Stream()", "torch.musa.Stream()"),
        ("torch.cuda.amp.autocast_mode.autocast()", "torch.musa.amp.autocast()"),
        ("torch.cuda.memory.memory_allocated()", "torch.musa.memory.memory_allocated()"),
        ("x.type(torch.cuda.FloatTensor)", "x.type(torch.musa.FloatTensor)"),
        ("x.type('torch.cuda.FloatTensor')", "x.type('torch.musa.FloatTensor')"),
        ("c = torch.cuda\nc.CUDAGraph()", "c = torch.musa\nc.MUSAGraph()"),
        ("hasattr(torch, 'cuda')", "hasattr(torch, 'musa')"),
        ("@torch.cuda.amp.custom_fwd\ndef f(): pass", "@torch.musa.amp.custom_fwd\ndef f(): pass"),
        ("x: 'torch.cuda.Stream' = None", "x: 'torch.musa.Stream' = None"),
        ("mock.patch('torch.cuda.is_available')", "mock.patch('torch.musa.is_available')"),
        ("list(map(torch.Tensor.cuda, xs))", "list(map(torch.Tensor.musa, xs))"),
        ("torch.nn.Module.cuda(model)", "torch.nn.Module.musa(model)"),
    ],
)
def test_torch_cuda(cuda: str, musa: str) -> None:
    assert converted(TORCH + cuda) == TORCH + musa


@pytest.mark.parametrize(
    ("cuda", "musa"),
    [
        ("model.cuda()", "model.musa()"),
        ("x.cuda(non_blocking=True)", "x.musa(non_blocking=True)"),
        ("x.cuda(device=rank)", "x.musa(device=rank)"),
        ("Net().cuda(0).eval()", "Net().musa(0).eval()"),
        ("x.cuda('cuda:1')", "x.musa('musa:1')"),
        ("assert x.is_cuda and not y.is_cuda", "assert x.is_musa and not y.is_musa"),
    ],
)
def test_methods(cuda: str, musa: str) -> None:
    assert converted(TORCH + cuda) == TORCH + musa


@pytest.mark.parametrize(
    ("cuda", "musa"),
    [
        ("x.to('cuda')", "x.to('musa')"),
        ("x.to(f'cuda:{rank}')", "x.to(f'musa:{rank}')"),
        ('x.to("cuda:" + str(rank))', 'x.to("musa:" + str(rank))'),
        ('x.to("cuda:%d" % rank)', 'x.to("musa:%d" % rank)'),
        ('x.to("cuda:{}".format(rank))', 'x.to("musa:{}".format(rank))'),
        ('x.to(r"cuda")', 'x.to(r"musa")'),
        ('x.to("""cuda""")', 'x.to("""musa""")'),
        ('x.to("cuda" ":0")', 'x.to("musa" ":0")'),
        ("torch.device('cuda', 0)", "torch.device('musa', 0)"),
        ("torch.zeros(2, device='cuda')", "torch.zeros(2, device='musa')"),
        ("torch.Generator('cuda')", "torch.Generator('musa')"),
        ("torch.set_default_device('cuda')", "torch.set_default_device('musa')"),
        ("torch.autocast('cuda', enabled=amp)", "torch.autocast('musa', enabled=amp)"),
        ("torch.autocast(device_type='cuda')", "torch.autocast(device_type='musa')"),
        ("torch.load(f, map_location='cuda:0')", "torch.load(f, map_location='musa:0')"),
        ("torch.load(f, 'cuda')", "torch.load(f, 'musa')"),
        ("torch.load(f, {'cuda:1': 'cuda:0'})", "torch.load(f, {'musa:1': 'musa:0'})"),
        ("run(model, 'cuda:0')", "run(model, 'musa:0')"),
        ("build(device='cuda')", "build(device='musa')"),
        ("def f(x, device='cuda', *, map_location=None): pass", "def f(x, device='musa', *, map_location=None): pass"),
        ("def f(x, where): pass\nf(1, 'cuda:0')", "def f(x, where): pass\nf(1, 'musa:0')"),
        ("def f(x, device): pass\nf(1, 'cuda')", "def f(x, device): pass\nf(1, 'musa')"),
        ("device = 'cuda' if gpu else 'cpu'", "device = 'musa' if gpu else 'cpu'"),
        ("d = 'cuda' if torch.cuda.is_available() else 'cpu'", "d = 'musa' if torch.musa.is_available() else 'cpu'"),
        ("self.device = options.device or 'cuda'", "self.device = options.device or 'musa'"),
        ("device: str = field(default='cuda')", "device: str = field(default='musa')"),
        ("device: Literal['cuda', 'cpu'] = 'cuda'", "device: Literal['musa', 'cpu'] = 'musa'"),
        ("device, dtype = 'cuda', torch.half", "device, dtype = 'musa', torch.half"),
        ("config['device'] = 'cuda'", "config['device'] = 'musa'"),
        ("config = {'device': 'cuda', 'cuda': 1}", "config = {'device': 'musa', 'cuda': 1}"),
        ("getattr(options, 'device', 'cuda')", "getattr(options, 'device', 'musa')"),
        ("os.environ.get('DEVICE', 'cuda')", "os.environ.get('DEVICE', 'musa')"),
        ("for device in ('cpu', 'cuda'): pass", "for device in ('cpu', 'musa'): pass"),
        ("[f(device) for device in ['cpu', 'cuda']]", "[f(device) for device in ['cpu', 'musa']]"),
        ("pytest.mark.parametrize('device, n', [('cuda', 1)])", "pytest.mark.parametrize('device, n', [('musa', 1)])"),
        ("if x.device.type == 'cuda': pass", "if x.device.type == 'musa': pass"),
        ("if 'cuda' in str(device): pass", "if 'musa' in str(device): pass"),
        ("if device.type in ('cuda', 'xpu'): pass", "if device.type in ('musa', 'xpu'): pass"),
        ("device.startswith('cuda')", "device.startswith('musa')"),
        ("str(device).replace('cuda:', '')", "str(device).replace('musa:', '')"),
        ("def get_device(): return 'cuda'", "def get_device(): return 'musa'"),
        ("if get_device() == 'cuda': pass", "if get_device() == 'musa': pass"),
        ("add_argument('--device', default='cuda')", "add_argument('--device', default='musa')"),
        ("add_argument('--device', choices=['cpu', 'cuda'])", "add_argument('--device', choices=['cpu', 'musa'])"),
        ("if (device := pick()) == 'cuda': pass", "if (device := pick()) == 'musa': pass"),
    ],
)
def test_device_strings(cuda: str, musa: str) -> None:
    assert converted(TORCH + cuda) == TORCH + musa


@pytest.mark.parametrize(
    ("cuda", "musa"),
    [
        ("dist.init_process_group('nccl')", "dist.init_process_group('mccl')"),
        (
            "dist.init_process_group(backend='cpu:gloo,cuda:nccl')",
            "dist.init_process_group(backend='cpu:gloo,musa:mccl')",
        ),
        ("dist.new_group(ranks, backend='nccl')", "dist.new_group(ranks, backend='mccl')"),
        ("if dist.get_backend() == 'nccl': pass", "if dist.get_backend() == 'mccl': pass"),
        ("add_argument('--dist-backend', default='nccl')", "add_argument('--dist-backend', default='mccl')"),
        ("b = 'nccl' if dist.is_nccl_available() else 'gloo'", "b = 'mccl'"),
        ("dist.ProcessGroupNCCL.Options()", "dist.ProcessGroupMCCL.Options()"),
        ("dist.init_device_mesh('cuda', (2,))", "dist.init_device_mesh('musa', (2,))"),
    ],
)
def test_backends(cuda: str, musa: str) -> None:
    head = "import torch.distributed as dist\n"
    assert converted(head + cuda) == head + musa


@pytest.mark.parametrize(
    ("cuda", "musa"),
    [
        ("os.environ['CUDA_VISIBLE_DEVICES'] = '0'", "os.environ['MUSA_VISIBLE_DEVICES'] = '0'"),
        ("os.environ.get('CUDA_VISIBLE_DEVICES', '')", "os.environ.get('MUSA_VISIBLE_DEVICES', '')"),
        ("os.environ.setdefault('NCCL_DEBUG', 'INFO')", "os.environ.setdefault('MCCL_DEBUG', 'INFO')"),
        ("os.getenv('TORCH_NCCL_BLOCKING_WAIT')", "os.getenv('TORCH_MCCL_BLOCKING_WAIT')"),
        ("if 'CUDA_LAUNCH_BLOCKING' in os.environ: pass", "if 'MUSA_LAUNCH_BLOCKING' in os.environ: pass"),
        ("run(c, env={'CUDA_VISIBLE_DEVICES': '1'})", "run(c, env={'MUSA_VISIBLE_DEVICES': '1'})"),
        (
            "run(c, env=dict(os.environ, CUDA_VISIBLE_DEVICES='1'))",
            "run(c, env=dict(os.environ, MUSA_VISIBLE_DEVICES='1'))",
        ),
        ("os.environ.update({'NCCL_DEBUG': 'INFO'})", "os.environ.update({'MCCL_DEBUG': 'INFO'})"),
        ("env = os.environ.copy()\nenv['NCCL_DEBUG'] = '1'", "env = os.environ.copy()\nenv['MCCL_DEBUG'] = '1'"),
        ("monkeypatch.setenv('CUDA_VISIBLE_DEVICES', '')", "monkeypatch.setenv('MUSA_VISIBLE_DEVICES', '')"),
    ],
)
def test_environment_variables(cuda: str, musa: str) -> None:
    assert converted("import os\n" + cuda) == "import os\n" + musa


@pytest.mark.parametrize(
    ("cuda", "musa"),
    [
        ("import torch, torch.cuda", "import torch, torch_musa"),
        ("import torch.cuda", "import torch, torch_musa"),
        ("import torch.cuda\nimport torch.cuda.amp", "import torch, torch_musa\nimport torch, torch_musa"),
        ("import torch\nimport torch.cuda.amp as amp", "import torch\nimport torch_musa.core.amp as amp"),
        ("import torch.cuda as c\nc.synchronize()", "import torch_musa as c\nc.synchronize()"),
        ("from torch import cuda", "from torch import musa as cuda"),
        ("from torch import nn, cuda as c", "from torch import nn, musa as c"),
        ("from torch.cuda import amp", "from torch_musa import amp"),
        ("from torch.cuda.amp import autocast as a", "from torch_musa.core.amp import autocast as a"),
        (
            "from torch.cuda import (  # two\n    Event,\n    CUDAGraph as G,  # one\n)",
            "from torch_musa import (  # two\n    Event,\n    MUSAGraph as G,  # one\n)",
        ),
        ("from torch.cuda import CUDAGraph\nCUDAGraph()", "from torch_musa import MUSAGraph as CUDAGraph\nCUDAGraph()"),
        ("from torch.cuda import nvtx, amp", "from torch_musa import amp; from torch.cuda import nvtx"),
        (
            "try:\n    from torch.cuda import amp\nexcept ImportError: pass",
            "try:\n    from torch_musa import amp\nexcept ImportError: pass",
        ),
        ("from torch.cuda \\\n  .amp import autocast", "from torch_musa.core.amp import autocast"),
    ],
)
def test_imports(cuda: str, musa: str) -> None:
    assert converted(cuda) == musa


def test_extensions() -> None:
    code = (
        "from torch.utils.cpp_extension import CUDAExtension, BuildExtension, CppExtension\n"
        "e = CUDAExtension('x', ['x.cu'], extra_compile_args={'cxx': [], 'nvcc': ['-O2']})\n"
    )
    assert converted(code) == (
        "from torch_musa.utils.musa_extension import MUSAExtension, BuildExtension; "
        "from torch.utils.cpp_extension import CppExtension\n"
        "e = MUSAExtension('x', ['x.cu'], extra_compile_args={'cxx': [], 'mcc': ['-O2']})\n"
    )
    code = "from torch.utils import cpp_extension\ncpp_extension.load('x', ['x.cu'], extra_cuda_cflags=[])\n"
    assert converted(code) == (
        "from torch_musa.utils import musa_extension\nmusa_extension.load('x', ['x.cu'], extra_musa_cflags=[])\n"
    )


def test_switches_of_tf32_become_one() -> None:
    code = TORCH + "torch.backends.cudnn.allow_tf32 = True\ntorch.backends.cuda.matmul.allow_tf32 = True\n"
    assert converted(code) == TORCH + "torch.backends.mudnn.allow_tf32 = True\n" * 2
    code = "import torch\nimport torch.backends.cudnn as cudnn\ncudnn.allow_tf32 = False\ncudnn.benchmark = True\n"
    assert converted(code).endswith("torch.backends.mudnn.allow_tf32 = False\ncudnn.benchmark = True\n")


def test_profiler() -> None:
    assert converted("p.table(sort_by='self_cuda_time_total')") == "p.table(sort_by='self_musa_time_total')"
    assert converted("p.export_stacks(f, 'cuda_time_total')") == "p.export_stacks(f, 'musa_time_total')"
    code = "from torch.profiler import ProfilerActivity\nactivities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]\n"
    assert converted(code) == code.replace("Activity.CUDA", "Activity.MUSA")


@pytest.mark.parametrize(
    "text",
    [
        'f"{torch.cuda.device_count()} devices"',
        'f"{torch.cuda.device_count()!r:>{torch.cuda.current_device()}}"',
        "f'''{\n  torch.cuda.device_count()  \n}''' 'x' f\"{torch.cuda.current_device()=}\"",
        "rf'\\d{torch.cuda.device_count()}{{torch.cuda}}'",
        "f'\\N{EM DASH}{x[\"a\"] != 1}{torch.cuda.device_count()}'",
        "f'{(lambda: torch.cuda.device_count())():%Y}'",
        "f'é{f\"{torch.cuda.device_count()}\"}'",
    ],
)
def test_expressions_in_f_strings(text: str) -> None:
    expected = text.replace("torch.cuda.device", "torch.musa.device").replace("torch.cuda.curr", "torch.musa.curr")
    assert converted(TORCH + f"print({text})") == TORCH + f"print({expected})"


def test_messages_only_if_asked_for() -> None:
    code = TORCH + "print('CUDA is out')\nlog.warning(f'no CUDA, {n} nccl')\nassert x, 'needs cuda'\nraise E('CUDA')\n"
    assert converted(code) == code
    assert converted(code, messages=True) == code.replace("CUDA", "MUSA").replace("nccl", "mccl").replace(
        "cuda", "musa"
    )


@pytest.mark.parametrize(
    "code",
    [
        "import torch as t\nt.{}.synchronize()",
        "def f():\n    import torch as t\n    return lambda: t.{}.device_count()",
        "import torch.nn as nn\nimport torch\nnn.f(torch.{}.device_count())",
        "class A:\n    import torch\n    n = torch.{}.device_count()",
        "if True:\n    import torch\nelse:\n    torch = None\ntorch.{}.synchronize()",
        "from torch import *\ntorch.{}.synchronize()",
        "import torch\n[torch.{}.Stream(i) for i in range(torch.{}.device_count()) if torch.{}.is_available()]",
        "import torch\nasync def f():\n    async with g(torch.{}.Stream()) as h: await h",
        "import torch\nwith torch.{}.device(0), torch.{}.stream(s): pass",
        "import torch\ndef f(n=torch.{}.device_count(), *, m: torch.{}.Stream = None) -> torch.{}.Event: pass",
        "import torch\nclass S(torch.{}.Stream): n = torch.{}.device_count()",
        "import torch\nx[torch.{}.current_device():] = y\ndel torch.{}.memory",
        "import torch\ntry: f()\nexcept torch.{}.OutOfMemoryError: torch.{}.empty_cache()",
    ],
)
def test_wherever_torch_is_named(code: str) -> None:
    count = code.count("{}")
    assert converted(code.format(*["cuda"] * count)) == code.format(*["musa"] * count)


def test_a_match_statement() -> None:
    if sys.version_info < (3, 10):
        pytest.skip("match is Python 3.10's")
    code = (
        "import torch\n"
        "match device.type:\n"
        "    case '{0}' | 'xpu' | None: torch.{0}.f\n"
        "    case [x, *_]: torch.{0}.init()\n"
    )
    assert converted(code.format("cuda")) == code.format("musa").replace("torch.musa.f", "torch.cuda.f")


def test_the_vocabulary_is_of_torch() -> None:
    import torch

    for name in (*MEMBERS, *RENAMED):
        assert hasattr(torch.cuda, name) or hasattr(torch.cuda.memory, name), name
        assert musa_path(name) == RENAMED.get(name, name)


@pytest.mark.parametrize(
    ("cuda", "musa"),
    [
        ('load(p, map_location={"cuda:0": "cuda:1"})', 'load(p, map_location={"musa:0": "musa:1"})'),
        ('map_location = {"cuda:%d" % 0: "cuda:%d" % r}', 'map_location = {"musa:%d" % 0: "musa:%d" % r}'),
        ('maplocation = {"cuda:{}".format(0): "cpu"}', 'maplocation = {"musa:{}".format(0): "cpu"}'),
        ('where = {f"cuda:{i}": "cpu" for i in r}', 'where = {f"musa:{i}": "cpu" for i in r}'),
        ('torch.load(p, {"cuda": "cpu"})', 'torch.load(p, {"musa": "cpu"})'),
        ('streams = {"cuda:0": a}; streams["cuda:0"]', 'streams = {"musa:0": a}; streams["musa:0"]'),
        ('{"cuda": a, "cpu": b}[x.device.type]', '{"musa": a, "cpu": b}[x.device.type]'),
        ("device_map = {'': 'cuda:0'}", "device_map = {'': 'musa:0'}"),
    ],
)
def test_keys_that_are_devices(cuda: str, musa: str) -> None:
    assert converted(TORCH + cuda) == TORCH + musa


@pytest.mark.parametrize(
    ("imported", "used"),
    [
        ("import torch.distributed as dist", "dist.Backend.NCCL"),
        ("from torch.distributed import Backend", "Backend.NCCL"),
        ("import torch.distributed", "torch.distributed.Backend.NCCL"),
        ("from torch.distributed.distributed_c10d import Backend", "Backend.NCCL"),
    ],
)
def test_the_backend_as_an_attribute(imported: str, used: str) -> None:
    code = f"{imported}\nassert f() == {used}\n"
    assert converted(code) == code.replace("NCCL", "MCCL")
    assert (
        converted(f"{imported}\nclass Backend: NCCL = 1\nmine.NCCL\n")
        == f"{imported}\nclass Backend: NCCL = 1\nmine.NCCL\n"
    )


_SPELLINGS = {
    "import torch.utils.cpp_extension": "torch.utils.cpp_extension.",
    "import torch.utils.cpp_extension as ce": "ce.",
    "import os, torch.utils.cpp_extension as ce": "ce.",
    "from torch.utils import cpp_extension": "cpp_extension.",
    "from torch.utils import cpp_extension as ce": "ce.",
    "from torch.utils import data, cpp_extension": "cpp_extension.",
    "from torch.utils.cpp_extension import load, load_inline, CUDAExtension, BuildExtension, CUDA_HOME": "",
    "if True: from torch.utils import cpp_extension": "cpp_extension.",
}


@pytest.mark.parametrize("other", ["", "CppExtension('y', [])"], ids=["alone", "beside a name that stays"])
@pytest.mark.parametrize("imported", _SPELLINGS)
def test_extensions_under_every_spelling(imported: str, other: str) -> None:
    """The converted module runs: what is called exists, and takes the keywords that it is given."""
    name = _SPELLINGS[imported]
    if other and not name:
        imported += ", CppExtension"
    code = (
        f"import torch\n{imported}\n"
        f"{name}load(name='a', sources=['a.cu'], extra_cuda_cflags=['-O2'], with_cuda=True)\n"
        f"{name}load_inline('b', '', cuda_sources='', functions=['f'])\n"
        f"{name}CUDAExtension('c', ['c.cu'], extra_compile_args={{'cxx': [], 'nvcc': ['-O3']}})\n"
        f"{name}CUDA_HOME; {name}BuildExtension\n" + (f"{name}{other}\n" if other else "")
    )
    new = converted(code)
    assert "cuda" not in new.lower() and "nvcc" not in new and converted(new) == new
    seen: list[str] = []

    class Module(types.ModuleType):
        """A module with the functions of one of the two packages, which record their keywords."""

        def __init__(self, name: str, known: set[str], keywords: set[str]) -> None:
            super().__init__(name)
            for each in known:
                setattr(self, each, lambda *args, each=each, **given: self.called(each, set(given) - keywords))

        def called(self, function: str, unknown: set[str]) -> None:
            assert not unknown, (function, unknown)
            seen.append(f"{self.__name__}.{function}")

    common = {"load", "load_inline", "BuildExtension"}
    keywords = {"name", "sources", "functions", "extra_compile_args"}
    theirs = Module("theirs", {*common, "CUDAExtension", "CUDA_HOME", "CppExtension"}, keywords)
    ours = Module(
        "ours", {*common, "MUSAExtension", "MUSA_HOME"}, {*keywords, "extra_musa_cflags", "with_musa", "musa_sources"}
    )
    torch, torch_musa = types.ModuleType("torch"), types.ModuleType("torch_musa")
    utils, musa_utils = types.ModuleType("torch.utils"), types.ModuleType("torch_musa.utils")
    torch.utils, utils.cpp_extension, utils.data = utils, theirs, theirs  # type: ignore[attr-defined]
    torch_musa.utils, musa_utils.musa_extension = musa_utils, ours  # type: ignore[attr-defined]
    modules = {
        "torch": torch,
        "torch.utils": utils,
        "torch.utils.cpp_extension": theirs,
        "torch_musa": torch_musa,
        "torch_musa.utils": musa_utils,
        "torch_musa.utils.musa_extension": ours,
    }
    with pytest.MonkeyPatch.context() as patch:
        for each, module in modules.items():
            patch.setitem(sys.modules, each, module)
        exec(compile(new, "converted", "exec"), {})
    assert seen == ["ours.load", "ours.load_inline", "ours.MUSAExtension", *(["theirs.CppExtension"] if other else [])]


def test_an_extension_module_that_nothing_imports_is_said() -> None:
    code = "import torch\ntorch.utils.cpp_extension.load('x', ['x.cu'], extra_cuda_cflags=[])\n"
    assert converted(code) == code
    assert any("musa_extension.load" in message for message in notes(code, UNSUPPORTED))


@pytest.mark.parametrize(
    "cuda",
    [
        "os.system('CUDA_VISIBLE_DEVICES=0 python e.py --device cuda:0')",
        "os.popen('python e.py --device=cuda | tee log')",
        'subprocess.run(f"CUDA_VISIBLE_DEVICES={n} torchrun b.py --backend nccl", shell=True)',
        "subprocess.Popen(['python', 'e.py', '--device=cuda'])",
        "subprocess.check_call(['python', 'e.py', '--device', 'cuda'])",
        "subprocess.run(args=['env', 'CUDA_VISIBLE_DEVICES=0', 'e'])",
        "cmd = 'NCCL_DEBUG=INFO python e.py --dev cuda:{}'.format(n)",
        "command = ['torchrun', '--dist-backend', 'nccl']; subprocess.call(command)",
        "cmd = ' '.join(['python', 'e.py', '--map-location=cuda'])",
        "parser.parse_args(['--device', 'cuda'])",
        "sys.argv = ['train.py', '--device=cuda:1']",
        "subprocess.run(['python'], env={'CUDA_VISIBLE_DEVICES': '0'})",
    ],
)
def test_commands(cuda: str) -> None:
    code = f"import os, subprocess, sys, torch\n{cuda}\n"
    new = code.replace("cuda", "musa").replace("CUDA", "MUSA").replace("nccl", "mccl").replace("NCCL", "MCCL")
    assert converted(code) == new


@pytest.mark.parametrize(
    "command", ["ls /usr/local/cuda/lib", "pip install torch-cuda", "nvcc -o cuda.o", "x --no-cuda"]
)
def test_commands_that_do_not_name_the_device(command: str) -> None:
    code = f"import os\nos.system('{command}')\n"
    assert converted(code) == code


@pytest.mark.parametrize(
    "code",
    [
        "x = {'a': 'cuda'}",
        "f('cuda', g)",
        "names = {'CUDA_VISIBLE_DEVICES': n}",
        "text = 'CUDA_VISIBLE_DEVICES=0 python x.py'",
        "if 'CUDA out of memory' in str(e): pass",
        "if str(e).startswith('CUDA error'): pass",
        "re.search('NCCL error', text)",
        "pytest.raises(RuntimeError, match='CUDA error: out')",
    ],
)
def test_what_may_mean_the_device_is_changed_or_said(code: str) -> None:
    code = f"import torch, re, pytest\nif 1:\n    {code}\n"
    assert converted(code) == code
    assert len(notes(code, UNCLEAR) + notes(code, UNSUPPORTED)) == 1
    assert bool(notes(code, UNSUPPORTED)) == bool(re.search("out of memory|error", code))


@pytest.mark.parametrize(
    ("cuda", "musa"),
    [
        ("b = {'cuda': f, 'cpu': g}; b[device]; b['cuda']", "b = {'musa': f, 'cpu': g}; b[device]; b['musa']"),
        ("load(p, map_location={'cuda:%(i)d' % n: 'cuda'})", "load(p, map_location={'musa:%(i)d' % n: 'musa'})"),
        (
            "from torch.utils import cpp_extension as c\nc.load('a', ['a.cu'])\ngetattr(c, 'load')",
            "from torch_musa.utils import musa_extension as c\nc.load('a', ['a.cu'])\ngetattr(c, 'load')",
        ),
        ("run(['x', f'--gpu=cuda:{i}'])", "run(['x', f'--gpu=musa:{i}'])"),
        (
            "try: from torch.utils.cpp_extension import CUDA_HOME\nexcept ImportError: CUDA_HOME = None\nCUDA_HOME",
            "try: from torch_musa.utils.musa_extension import MUSA_HOME\n"
            "except ImportError: MUSA_HOME = None\nMUSA_HOME",
        ),
        ("dist.Backend('NCCL')", "dist.Backend('MCCL')"),
        ("dist.get_backend().upper() == 'NCCL'", "dist.get_backend().upper() == 'MCCL'"),
        (
            "from torch.distributed import ProcessGroupNCCL\nProcessGroupNCCL.Options()",
            "from torch.distributed import ProcessGroupMCCL as ProcessGroupNCCL\nProcessGroupNCCL.Options()",
        ),
        (
            "from torch.utils import cpp_extension as c\nfunctools.partial(c.load, extra_cuda_cflags=[])",
            "from torch_musa.utils import musa_extension\nfunctools.partial(musa_extension.load, extra_musa_cflags=[])",
        ),
        (
            "from torch.utils import cpp_extension\nbuild = cpp_extension.load\nbuild('a', ['a.cu'], with_cuda=True)",
            "from torch_musa.utils import musa_extension\nbuild = musa_extension.load\n"
            "build('a', ['a.cu'], with_musa=True)",
        ),
    ],
)
def test_other_spellings(cuda: str, musa: str) -> None:
    head = "import functools, torch, torch.distributed as dist\n"
    assert converted(head + cuda) == head + musa


def test_sources_in_the_script_are_named() -> None:
    head = "from torch.utils.cpp_extension import load_inline\n"
    assert notes(f"{head}load_inline('a', '', cuda_sources='#include <cuda_fp16.h>')", UNSUPPORTED)
    assert not notes(f"{head}load_inline('a', '', cuda_sources='__global__ void k() {{}}')", UNSUPPORTED)


@pytest.mark.parametrize(
    ("code", "level"),
    [
        ("build = torch.utils.cpp_extension.load\nbuild('a', ['a.cu'], extra_cuda_cflags=[])", UNSUPPORTED),
        ("from torch.utils.cpp_extension import *\nCUDAExtension('a', ['a.cu'])", UNSUPPORTED),
        ("getattr(torch.distributed.Backend, 'NCCL')", UNCLEAR),
        ("options = dict(extra_cuda_cflags=['-O2'])", UNCLEAR),
        ("options = {'extra_cuda_cflags': ['-O2']}", UNCLEAR),
        ("import os\nos.environ.get('CUDA_HOME')", UNCLEAR),
        ("import os\nos.getenv('CUDA_PATH')", UNCLEAR),
        ("import os\nos.environ.get('TORCH_CUDA_ARCH_LIST')", UNCLEAR),
        ("import os\nos.environ['CUBLAS_WORKSPACE_CONFIG'] = ':4096:8'", UNCLEAR),
        ("import os\nif 'CUDA_DEVICE_ORDER' in os.environ: pass", UNCLEAR),
        ("import os\ndict(os.environ, CUDA_MODULE_LOADING='LAZY')", UNCLEAR),
        ("import os\nos.system('TORCH_CUDA_ARCH_LIST=8.0 pip install .')", UNCLEAR),
    ],
)
def test_what_stays_is_said(code: str, level: str) -> None:
    code = f"import torch\n{code}\n"
    assert converted(code) == code
    assert notes(code, level)


@pytest.mark.parametrize("prefix", ["", "f"])
@pytest.mark.parametrize(
    ("command", "new", "left"),
    [
        ("CUDA_VISIBLE_DEVICES=0 e.py cuda", "MUSA_VISIBLE_DEVICES=0 e.py cuda", "cuda"),
        (
            "TORCH_CUDA_ARCH_LIST=8.0 e.py --device cuda",
            "TORCH_CUDA_ARCH_LIST=8.0 e.py --device musa",
            "TORCH_CUDA_ARCH_LIST",
        ),
        ("e.py --gpu nccl --backend nccl", "e.py --gpu nccl --backend mccl", "nccl"),
    ],
)
def test_what_a_command_keeps_is_said(prefix: str, command: str, new: str, left: str) -> None:
    head = f"import os, torch\nos.system({prefix}"
    assert converted(f"{head}'{command}')") == f"{head}'{new}')"
    assert notes(f"{head}'{command}')", UNCLEAR) == [f"this command still says {left}"]


@pytest.mark.parametrize("code", ["providers = ['CUDAExecutionProvider']", "x = 'use cuda here'"])
def test_what_needs_no_change_is_in_the_report_alone(code: str) -> None:
    code = f"import torch\n{code}\n"
    assert converted(code) == code
    assert [remark.level for remark in result(code).remarks] == [LEFT]


@pytest.mark.parametrize("word", ["cuda", "cuda:1", "nccl", "cpu,cuda"])
@pytest.mark.parametrize(
    "code",
    [
        "f({})", "f(x={})", "f(*[{}])", "f(**{{'x': {}}})", "f({} + y)", "f(y + {})", "f({} * 2)", "f(({},))",
        "f('%s:%d' % ({}, 0))", "f('{{}}:0'.format({}))", "f(':'.join([{}, '0']))", 'f(f"{{{}}}:0")',
        "torch.load(p, map_location={{'%s:%d' % ({}, 0): 'cpu'}})",
        "torch.load(p, map_location={{':'.join([{}, '0']): 'cpu'}})",
        "torch.load(p, map_location={{'{{}}:0'.format({}): 'cpu'}})",
        "x = {}", "x: str = {}", "x += {}", "x, y = {}, 1", "[x for x in [{}]]", "{{{}: 1}}", "{{'x': {}}}", "{{{}}}",
        "def f(kinds=({},)): pass", "def f(*, x={}): pass", "f = lambda x={}: x", "lambda: {}", "return_ = yield_({})",
        "def f():\n    return {}", "def f():\n    yield {}", "for x in ({}, 'cpu'): pass", "while x == {}: pass",
        "assert x == {}", "if x in ({},): pass", "x = y or {}", "x = {} if y else 'cpu'", "(x := {})", "x[{}]",
        "x[y] = {}", "del x[{}]", "with f({}) as g: pass", "@f({})\ndef g(): pass", "class A(B, x={}): pass",
        "class A:\n    x = {}", "setattr(x, 'y', {})", "x.setdefault({}, 1)", "x.y.z({})", "print(f({}))",
        "raise E(f({}))", "f(x)({})", "f(x)[{}](y)", "{{{}: storage.cuda}}[spot]()", "{}.split(',')", "x = [{}] * 2",
        "match = {{'a': [{{'b': {}}}]}}", "async def f():\n    await g({})", "x @ {}", "not {}", "x[{}:]",
        "enum('E', {{'A': {}}})", "functools.partial(f, {})", "x = [*y, {}]", "x = {{**y, 'k': {}}}",
    ],
)  # fmt: skip
def test_a_device_is_changed_or_shown_everywhere(code: str, word: str) -> None:
    code = "import torch, functools\n" + code.format(repr(word)) + "\n"
    found = result(code)
    shown = [remark for remark in found.remarks if remark.level != LEFT]
    assert found.error is None and (shown or repr(word) not in (found.content or code.encode()).decode()), code


@pytest.mark.parametrize(
    ("code", "new"),
    [
        ("torch.library.Library('my', 'IMPL', 'CUDA')", "'PrivateUse1'"),
        ("lib.impl('op', f, 'CUDA')", "'PrivateUse1'"),
        ("lib.impl('op', f, 'AutogradCUDA')", "'AutogradPrivateUse1'"),
        ("torch.library.impl(lib, 'op', dispatch_key='CUDA')", "'PrivateUse1'"),
        ("key = torch._C.DispatchKey.CUDA", "DispatchKey.PrivateUse1"),
        ("key = torch._C.DispatchKey.AutogradCUDA", "DispatchKey.AutogradPrivateUse1"),
        ("y = x.to(('cpu', 'cuda')[torch.cuda.is_available()])", "('cpu', 'musa')"),
    ],
)
def test_dispatch_keys_and_choices(code: str, new: str) -> None:
    assert new in converted(f"import torch\n{code}\n")


@pytest.mark.parametrize(
    "code",
    [
        "major, minor = torch.cuda.get_device_capability()\nif major >= 8: pass",
        "if torch.cuda.get_device_capability(0)[0] >= 8: pass",
        "from torch.cuda import get_device_capability as cc\nfast = cc() >= (7, 5)",
        "from torch.cuda import get_device_capability\nfast = get_device_capability() >= (7, 5)",
        "if torch.cuda.get_device_properties(0).major > 7: pass",
        "p = torch.cuda.get_device_properties(0)\nx = p.major * 10 + p.minor",
        "fast = 'sm_90' in torch.cuda.get_arch_list()",
        "big = 'A100' in torch.cuda.get_device_name()",
        "arch = 'sm_%d%d' % torch.cuda.get_device_capability()",
        "f(flags=['-gencode=arch=compute_80,code=sm_80'])",
        "import subprocess\nsubprocess.check_output(['nvidia-smi', '-L'])",
        "import ctypes\nctypes.CDLL('libcudart.so.12')",
        "import pynvml",
        "from pynvml import nvmlInit",
        "exec('torch.cuda.empty_cache()')",
        "import re\nre.match(r'cuda:(\\d+)', s)",
        "if d.type.upper() == 'CUDA': pass",
        "if torch.backends.cudnn.version() >= 8000: pass",
        "from torch.backends import cudnn\nfast = cudnn.is_available()",
        "torch.backends.cuda.cufft_plan_cache[0].max_size = 8",
        "torch.backends.cuda.preferred_linalg_library('cusolver')",
        "if torch.backends.cuda.is_built(): pass",
    ],
)
def test_facts_about_nvidias_cards_and_tools_are_shown(code: str) -> None:
    assert any(remark.level != LEFT for remark in result(f"import torch\n{code}\n").remarks)


@pytest.mark.parametrize(
    "code",
    [
        "print(torch.cuda.get_device_capability())",
        "logger.info('a card: %s', torch.cuda.get_device_name(0))",
        "print('{}'.format(torch.cuda.get_device_properties(0).major))",
        "print(f'{torch.cuda.get_device_properties(0).major}')",
        "print('cuda:', x)",
        "print(torch.backends.cudnn.version())",
        "torch.backends.cudnn.benchmark = torch.backends.cuda.matmul.allow_fp16_accumulation = True",
        "torch._inductor.config.cuda.use_fast_math = True",
        "version.major >= 2",
        "import jax\njax.devices('cuda')",
        "import pytest\npytest.mark.cuda",
    ],
)
def test_text_for_people_and_other_libraries_stays(code: str) -> None:
    assert not [remark for remark in result(f"import torch\n{code}\n").remarks if remark.level != LEFT]


@pytest.mark.parametrize("one", ['"cuda:%s" % i', 'f"cuda:{i}"', '"cuda:{}".format(i)', '"cuda:" + str(i)', '"cuda:0"'])
@pytest.mark.parametrize(
    "form",
    [
        'x = "cuda" if i is None else @',
        'x = @ if i else "cuda"',
        'x = @ if i else ("cpu" if j else "cuda")',
        'x = i is None and "cuda" or @',
        'x = ["cpu", "cuda", @]',
        'if i is None:\n    x = "cuda"\nelse:\n    x = @',
        'x = "cuda"\nif i:\n    x = @',
        'def f(i):\n    if i is None:\n        return "cuda"\n    return @',
        'def f(i):\n    try:\n        return @\n    except E:\n        return "cuda"',
        'def f(i):\n    for j in i:\n        return @\n    def g():\n        return 1\n    return "cuda"',
    ],
)
def test_alternatives_of_a_device(form: str, one: str) -> None:
    code = form.replace("@", one) + "\n"
    assert converted(code) == code.replace("cuda", "musa") and not notes(code, UNCLEAR)


@pytest.mark.parametrize(
    "code",
    [
        'def f():\n    return "cuda"\ndef g():\n    return "cuda:0"\n',
        'x = "cuda"\ny = "cuda:0"\n',
        'def f():\n    def g():\n        return "cuda:0"\n    return "cuda"\n',
        'x = "cuda" if i else "other"\ny = "cuda:0"\n',
    ],
)
def test_texts_beside_a_device_are_no_alternatives(code: str) -> None:
    assert converted(code) == code.replace("cuda:0", "musa:0") and len(notes(code, UNCLEAR)) == 1


@pytest.mark.parametrize(
    ("cuda", "musa"),
    [
        ("torch.cuda.cudart().cudaProfilerStart()", "torch.musa.musart().musaProfilerStart()"),
        (
            "rt = torch.cuda.cudart()\nrt.cudaHostRegister(p, n, 0)",
            "rt = torch.musa.musart()\nrt.musaHostRegister(p, n, 0)",
        ),
        ("e = torch.cuda.cudart().cudaError", "e = torch.musa.musart().musaError"),
        ("@click.option('--device', type=click.Choice(['cpu', 'cuda']), default='cuda')\ndef f(): pass", "all"),
        ("p.add_argument('--device', choices=tuple(('cpu', 'cuda')), default='cuda')", "all"),
        ("p.add_argument('--device', choices=sorted({'cpu', 'cuda'}), default='cuda')", "all"),
    ],
)
def test_both_ends_of_a_name_change(cuda: str, musa: str) -> None:
    assert converted(TORCH + cuda) == TORCH + (cuda.replace("'cuda'", "'musa'") if musa == "all" else musa)


def test_a_function_of_the_runtime_whose_owner_is_unknown_is_noted() -> None:
    code = TORCH + "self.rt = torch.cuda.cudart()\nself.rt.cudaHostRegister(p, n, 0)\n"
    assert len(notes(code, UNCLEAR)) == 1
    assert not notes(TORCH + "self.rt.cudaHostRegister(p, n, 0)\nx.cuda()\n", UNCLEAR)


TABLE = "table = {'cuda': 'green', 'cpu': 'blue'}\n"


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        (TABLE + "print(table['cpu'])\n", False),
        (TABLE + "print(table[name])\n", False),
        (TABLE + "print(table[device])\n", True),
        (TABLE + "print(table.get(args.device))\n", True),
        (TABLE + "print(table.get(name))\n", False),
        (TORCH + TABLE, True),
    ],
)
def test_keys_are_devices_where_something_says_so(code: str, changes: bool) -> None:
    assert converted(code) == (code.replace("'cuda'", "'musa'") if changes else code)
    assert changes or notes(code, UNCLEAR)
