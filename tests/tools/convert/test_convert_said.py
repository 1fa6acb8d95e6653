"""Texts that say CUDA to a program are changed or noted; texts for people are neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from converting import notes, result

from musa_tools.convert.edits import LEFT, UNCLEAR, UNSUPPORTED
from musa_tools.convert.files import convert_content
from musa_tools.convert.results import Options
from musa_tools.convert.tree import kind_of_file

TORCH = "import torch\n"
NOTED = [
    'Extension("x", [], libraries=["cudart"])',
    'Extension("x", [], libraries=["cublas"])',
    'Extension("x", [], extra_link_args=["-lcudart"])',
    'Extension("x", [], library_dirs=["/usr/local/cuda/lib64"])',
    "torch._C._cuda_init()",
    'torch.compile(f, backend="cudagraphs")',
    "from triton.backends.compiler import GPUTarget\nt = GPUTarget('cuda', 80, 32)",
    'c = json.loads(\'{"device": "cuda"}\')',
    "y = yaml.safe_load('a: 1\\ndevice: cuda\\n')",
    "c = OmegaConf.from_dotlist(['model.device=cuda'])",
    "c = compose(overrides=['+trainer.device=cuda:0'])",
    "torch.jit.CompilationUnit('''\ndef f(x):\n    return x.cuda()\n''')",
    "p = re.compile(r'cuda:\\d+')",
    "def f(n): return f'export NCCL_DEBUG=INFO\\ntrain --device cuda {n}'",
    "open('a').write('export NCCL_DEBUG=INFO\\n')",
    "open('a').write(f'#!/bin/sh\\ntrain --device cuda {n}\\n')",
    "open('a').write('device: cuda\\n')",
    "x = f'device: cuda, {n}'",
    "import os\nx = os.environ[f'CUDA_{n}']",
]
FOR_PEOPLE = [
    'plt.title("cuda")',
    'plt.plot(x, label="cuda")',
    'plt.legend(["cuda", "cpu"])',
    'unittest.skipIf(x, "cuda")',
    'pytest.mark.skip(reason="cuda")',
    'assert x, "cuda"',
    'table.add_row("cuda", 1)',
    'table.add_row(["cuda", 1])',
    'print("device: cuda")',
    'print(f"device: cuda {n}")',
    'sys.stdout.write("on cuda\\n")',
    'open("a").write("cuda\\n")',
    'raise ValueError(f"NCCL_DEBUG=INFO {n}")',
    'x = f"cuda {n}" + f"{n}_cuda" + f"model_{n}.cuda.pth"',
]


@pytest.mark.parametrize("line", NOTED)
def test_it_is_noted(line: str) -> None:
    assert notes(TORCH + line + "\n", UNCLEAR) or notes(TORCH + line + "\n", UNSUPPORTED)


@pytest.mark.parametrize("line", FOR_PEOPLE)
def test_a_text_for_people_is_not_noted(line: str) -> None:
    found = result(TORCH + line + "\n")
    assert found.content is None and not [each for each in found.remarks if each.level in (UNCLEAR, UNSUPPORTED)]


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("from torch.profiler import ProfilerActivity as PA\nx = PA.CUDA", "PA.MUSA"),
        ("from torch.profiler import ProfilerActivity\nP = ProfilerActivity\nx = P.CUDA", "P.MUSA"),
        ("from torch.distributed.distributed_c10d import Backend as B\nx = B.NCCL", "B.MCCL"),
        ("from torch.distributed import Backend\nx = (Backend\n  .NCCL)", "Backend\n  .MCCL"),
        ("from torch.distributed import Backend\nx = Backend . NCCL", "Backend . MCCL"),
        ("from torch._C import DispatchKey as DK\nx = DK.AutogradCUDA", "DK.AutogradPrivateUse1"),
        ("from torch.autograd import DeviceType as DT\nx = DT.CUDA", "DT.PrivateUse1"),
    ],
)
def test_a_member_of_a_class_by_another_name(line: str, new: str) -> None:
    """The class decides about a member, however the file calls the class."""
    found = result(line + "\n")
    assert found.content is not None and new in found.content.decode()


def test_a_member_that_is_not_known_is_noted() -> None:
    assert notes("import torch\nx = torch.anything.CUDA\n", UNCLEAR)
    assert not notes("import torch\nfrom mine import Kind\nx = Kind.CUDA\n", UNCLEAR)


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ('x.to("cu" "da")', 'x.to("mu" "sa")'),
        ('x.to("cu" + "da")', 'x.to("mu" + "sa")'),
        ("x.to('c' 'uda' ':0')", "x.to('m' 'usa' ':0')"),
        ('x.to("cu" + ("da" + ":1"))', 'x.to("mu" + ("sa" + ":1"))'),
        ('os.environ["CUDA_VISIBLE" + "_DEVICES"] = "0"', 'os.environ["MUSA_VISIBLE" + "_DEVICES"] = "0"'),
        ('os.environ["NCCL" "_DEBUG"] = "0"', 'os.environ["MCCL" "_DEBUG"] = "0"'),
        ('backend = "nc" + "cl"', 'backend = "mc" + "cl"'),
    ],
)
def test_a_name_in_parts_is_converted(line: str, new: str) -> None:
    """Literals that are added or adjacent are one text, and each part gets its part of the new one."""
    found = result(f"import os, torch\n{line}\n")
    assert found.content is not None and found.content.decode() == f"import os, torch\n{new}\n"
    assert not [each for each in found.remarks if each.level != LEFT]


@pytest.mark.parametrize(
    "code",
    [
        'P = "CUDA"\nos.environ[P + "_VISIBLE_DEVICES"] = "0"',
        'P = "CUDA"\nos.environ[f"{P}_VISIBLE_DEVICES"] = "0"',
        'V = "VISIBLE_DEVICES"\nos.environ["CUDA_%s" % V] = "0"',
        'A = "cu"\nB = A + "da"\nx.to(f"{B}:0")',
        'A = "cu"\nx.to("{}{}".format(A, "da"))',
        'A = "cu"\nx.to("".join([A, "da"]))',
        'b = "nc" + "cl"\ng(b)',
        'KEY = "CUDA_VISIBLE" + "_DEVICES"',
        'x.to("\\x63uda")',
        'x.to("cu\\x64a")',
    ],
)
def test_a_name_that_is_put_together_is_noted(code: str) -> None:
    """A text of literals and of variables of the same file is judged like a literal."""
    assert [each for each in result(f"import os, torch\n{code}\n").remarks if each.level != LEFT]


@pytest.mark.parametrize(
    "code",
    [
        'print("cu" + "da")',
        'x = "cu" + y + "da"',
        'x = "cu" + "be"; y = "a" + "b"; z = 1 + 2',
        'DEV = "cpu"\nx.to(f"{DEV}:0")',
        'def f(cu):\n    return cu + "da"',
        'x = "cu" + "rrent"; y = f"{x}_{z}"',
        "x = b'\\x63uda'",
        'def f():\n    x = 1\n    x = x + x\n    return x + "da"',
    ],
)
def test_other_texts_in_parts_are_not_noted(code: str) -> None:
    found = result(f"import os, torch\n{code}\n")
    assert found.content is None and not [each for each in found.remarks if each.level != LEFT]


def test_a_variable_that_is_converted_is_right_where_it_is_used() -> None:
    code = 'import torch\ndevice = "cuda"\nx.to(f"{device}:0")\nx.to(device + ":1")\n'
    found = result(code)
    assert found.content == code.replace("cuda", "musa").encode() and not found.remarks


def test_texts_that_grow_with_each_variable_take_little_time() -> None:
    lines = [f"a{n} = a{n - 1} + a{n - 1}" for n in range(1, 30)]
    assert not result("\n".join(["import torch", 'a0 = "cu"', *lines])).remarks


def test_a_condition_beside_a_text_for_people_is_converted() -> None:
    code = TORCH + "@unittest.skipIf(device.type != 'cuda', 'needs cuda')\ndef test(): pass\n"
    assert result(code).content == code.replace("!= 'cuda'", "!= 'musa'").encode()


def notebook(*cells: str) -> bytes:
    made = [{"cell_type": "code", "source": each, "metadata": {}, "outputs": []} for each in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


@pytest.mark.parametrize(
    "cell",
    [
        "%timeit x.cuda()",
        "%timeit -n 10 -r3 x.cuda()",
        "if x:\n    %time y = x.cuda()",
        "%%timeit\nx.cuda()",
        "%%writefile a.py\nimport torch\nx.cuda()",
        "%%file 'a.py'\nx.cuda()",
    ],
)
def test_lines_of_python_behind_magics_are_converted(cell: str) -> None:
    found = convert_content("n.ipynb", notebook("import torch", cell), Options())
    assert found.content == notebook("import torch", cell.replace("x.cuda()", "x.musa()"))


@pytest.mark.parametrize("cell", ["%timeit 1 +", "%%writefile a.txt\nx.cuda()", "%load_ext cuda_kernels"])
def test_other_magics_stay(cell: str) -> None:
    assert convert_content("n.ipynb", notebook("import torch", cell), Options()).content is None


@pytest.mark.parametrize(
    "cell",
    [
        "%%cu\nint main() {}",
        "%%cuda --name k.cu\nint main() {}",
        "%%writefile k.cu\nint main() {}",
        "%%writefile k.cpp\nint main() { cudaFree(p); }",
        "%%writefile run.bat\nset CUDA_VISIBLE_DEVICES=0",
        "%%writefile a.yaml\ndevice: cuda\n",
        "%%cython\ncdef extern from 'cuda_runtime.h': pass",
        "%%ruby\nsystem('nvcc k.o')",
    ],
)
def test_a_cell_in_another_language_is_noted(cell: str) -> None:
    """A cell that is not Python is never changed; one that says CUDA to a program has one note."""
    found = convert_content("n.ipynb", notebook("import torch", cell), Options())
    assert found.content is None and [each.level for each in found.remarks] == [UNCLEAR]


@pytest.mark.parametrize(
    "cell",
    ["%%html\n<b>cuda</b> nvcc", "%%javascript\nvar x = 'cuda'", "%%writefile a.txt\ntext", "%%latex\nCUDA_HOME cuda"],
)
def test_other_cells_are_not_noted(cell: str) -> None:
    assert not convert_content("n.ipynb", notebook("import torch", cell), Options()).remarks


@pytest.mark.parametrize(
    "line",
    [
        'python -c "import torch; torch.cuda.set_device(0)"',
        "python - <<EOF\nx.cuda()\nEOF",
        "python -c \"x.to(device='cuda')\"",
    ],
)
def test_python_in_a_command_is_noted(line: str) -> None:
    assert convert_content("a.sh", f"{line}\n".encode(), Options()).remarks
    assert convert_content("n.ipynb", notebook("!" + line.replace("\n", "\\\n")), Options()).remarks


@pytest.mark.parametrize(
    ("name", "first", "kind"),
    [
        ("train", "#!/bin/bash", "shell"),
        ("train", "#!/usr/bin/env zsh", "shell"),
        ("train", "#!/usr/bin/env python3", "python"),
        ("train", "#!/usr/bin/perl", ""),
        ("train", "text", ""),
        ("a.slurm", "", "shell"),
        ("a.sbatch", "", "shell"),
        ("a.zsh", "", "shell"),
        (".env", "", "config"),
        ("a.conf", "", "config"),
        ("Dockerfile", "", "config"),
        ("Dockerfile.gpu", "", "config"),
        ("Makefile", "", "config"),
        ("a.txt", "", ""),
    ],
)
def test_the_kind_of_a_file(name: str, first: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(f"{first}\nCUDA_VISIBLE_DEVICES=0 run\n")
    assert kind_of_file(str(tmp_path / name)) == kind
    if kind in ("shell", "config"):
        assert convert_content(str(tmp_path / name), (tmp_path / name).read_bytes(), Options()).remarks
