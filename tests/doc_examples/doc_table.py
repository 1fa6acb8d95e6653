"""How the examples of each page of the docs are run, and which are not, and why."""

from __future__ import annotations

from collections.abc import Mapping

from doc_pages import Page

# Pages whose examples another test runs to their end.
RUN_BY = {"docs/tutorial.md": "test_the_tutorial"}

SOURCES = "cp -r cuda_package/csrc csrc"
MY_OPS = "mkdir my_ops && touch my_ops/__init__.py"
PORTED = "musa-build port cuda_package/csrc -o csrc"
# Never the caches of the person who runs the tests.
OWN_CACHES = 'MUSA_SIM_CACHE="$PWD/caches/sdk" XDG_CACHE_HOME="$PWD/caches" TORCH_EXTENSIONS_DIR="$PWD/caches/jit"'
DUMPS = "python write_dumps.py"
USES_ADD = """python -c '
import array, my_ops._C as ops
values = array.array("f", [1, 2, 3])
assert ops.add(values, 2) and values.tolist() == [3, 4, 5], values'"""
USES_FREQENCODER = """bin/python -c '
import torch, torch_musa, freqencoder
encoded = freqencoder.FreqEncoder()(torch.rand(100, 3, device="musa"))
assert "fresh" in freqencoder.__file__ and encoded.isfinite().all().item(), encoded'"""

LONG = "minutes to hours of computing"
PYTORCH = "compiles PyTorch's own kernels, from a checkout of it: hours"
BACKEND = "builds the device that this environment has: `make demo` runs it"
KERNELS = "builds the kernel library: up to half an hour"
CHECKOUT = "for each file of a checkout"
NETWORK = "needs other machines"
INDEX = "downloads from an index; `make release` installs the wheels in a new environment"
VERIFY = "minutes; tests/verify runs every row"
SYNOPSIS = "a synopsis"

PAGES: Mapping[str, Page] = {
    "README.md": Page(
        before=f"{PORTED}; {DUMPS}; {MY_OPS}; export PIP_NO_BUILD_ISOLATION=0",  # no isolation: it needs a network
        saves={"from setuptools import setup": "setup.py"},
        substitutes={
            "/path/to/this/checkout": '"$CHECKOUT"',
            "wheel . ./simulator ./tools": 'wheel . ./simulator ./tools && cd "$OLDPWD"',
            "--no-deps PKG": "--no-deps ./cuda_package",
            "port csrc/": "port cuda_package/csrc/",
            'cuda_dir_path="csrc"': 'cuda_dir_path="cuda_package/csrc"',
        },
        left_out={
            "apt install": "needs root",
            "make demo": "a job of CI",
            "make test": "a job of CI",
            "pip install --no-build-isolation ./backend": BACKEND,
            "musa-build demo": "test_the_demo runs it",
            "pip install torch --index-url": INDEX,
            'pip install "musa-build[sim]"': INDEX,
            "pip install --no-build-isolation --no-cache-dir torch-musa-sim": INDEX,
        },
        own_environment=True,
        slow=True,
    ),
    "docs/benchmarks.md": Page(  # as small as each can be made: whether they run, not what they measure
        before=SOURCES,
        substitutes={
            "TREE": "csrc",
            "python benchmarks/": 'python "$CHECKOUT"/benchmarks/',
            "build.py": "build.py --sources 1 --extensions 1 --runs 1 --parts nothing --header cstdint --without-torch",
            "simulator.py": "simulator.py --n 300003 --rounds 1",
            "compile.py": "compile.py --rounds 1 --only small",
            "convert.py": 'convert.py "$CHECKOUT"/examples --runs 1 --every 1',
            "kernels.py": "kernels.py --rounds 1 --only 'of four'",
            "tools.py": "tools.py --rounds 1 --only NanInfTracker",
            "compare_dumps.py": "compare_dumps.py --rows 500",
            "tools/op_db.py": "tools/op_db.py --every 60 --samples 1",
            "force_startup.py": "force_startup.py 3",
        },
        slow=True,
    ),
    "docs/building.md": Page(
        before=f"{PORTED}; cp csrc/kernels.mu ops.mu; cp csrc/bindings.cpp .; mkdir -p my_ops caches/sdk/musa-1",
        python="torch_names.py",
        substitutes={
            "...": "--no-build-isolation --force-reinstall --no-deps .",
            "musa-build cache clear": f"{OWN_CACHES} musa-build cache clear",
        },
        after="test ! -e caches/sdk/musa-1",
        left_out={
            "export CCACHE_REMOTE_STORAGE": NETWORK,
            "ccache --show-stats": "needs ccache",
            "distccd": NETWORK,
            "MUSA_SIM_DISTCC=distcc cmake --build build": NETWORK,
            "export MUSA_BUILD_LAUNCHER=distcc": NETWORK,
        },
        own_environment=True,
        slow=True,
    ),
    "docs/cmake.md": Page(
        before=f"{PORTED}; cp -r csrc csrc_musa; c++ -shared -o libx.so -x c++ /dev/null; mkdir generated",
        saves={"cmake_minimum_required": "CMakeLists.txt"},
        substitutes={
            '"/opt/x/libx.so"': '__import__("os").path.abspath("libx.so")',
            'plugin_name="my_ops",': 'plugin_name="my_ops", output_dir="generated",',
            "-S . -B build &&": "-S generated -B generated/build &&",
            "--build build &&": "--build generated/build &&",
            "--install build --prefix DIR": "--install generated/build --prefix DIR",
        },
        after="PYTHONPATH=DIR python -c 'import my_ops'",
        own_environment=True,
        slow=True,
    ),
    "docs/cuda-toolkit.md": Page(
        before=r"""printf '__device__ int f(int i) { return 2 * i; }\n' > functions.cu
printf '__device__ int f(int i);\n__global__ void k(int* p) { *p = f(*p); }\nint main() {}\n' > kernels.cu""",
        substitutes={"cmake -S project -B build-run": "cmake -S project -B build-run && ./build-musa/saxpy"},
        after="unset LD_LIBRARY_PATH; ./build-musa/saxpy",
        slow=True,
    ),
    "docs/moore-threads-programs.md": Page(
        left_out={
            "cmake -B build -DGGML_MUSA=ON": LONG,
            "cmake -B build -DGGML_MUSA=1": LONG,
            "cmake --build build --config Release": LONG,
            "cmake --build build": LONG,
            "cmake -S libkineto": CHECKOUT,
            "FORCE_MUSA=1 pip install --no-build-isolation litegs/": CHECKOUT,
            "FORCE_MUSA=1 pip install --no-build-isolation .": CHECKOUT,
            "mcc -O2 -std=c++17 -fPIC -Imusa/ep/src": CHECKOUT,
            "mcc -O3 -fPIC -std=c++17 -DEIGEN": CHECKOUT,
            "mcc -fPIC -std=c++17 -O3": CHECKOUT,
            "mcc -fPIC -std=c++20 -O3": CHECKOUT,
            "mcc -x musa -mtgpu": CHECKOUT,
            "mcc -x musa -O2 -DNDEBUG -std=c++14 -I. -Itest -I": CHECKOUT,
            "mcc -x musa -std=c++14 -I. -Itesting -I": CHECKOUT,
            "mcc -Imusa_quick_start": CHECKOUT,
            **dict.fromkeys(
                (f"pip install {name}" for name in ("mthreads-ml-py", "musatop", "nvitop-musa", "torchada")),
                "a tool of Moore Threads', by tests/programs",
            ),
        },
    ),
    "docs/convert.md": Page(
        after="grep -q 'torch_musa' yolov5/train.py && test -s report.html",
        slow=True,
    ),
    "docs/wall.md": Page(
        left_out={
            "python -m tests.corpus.record": "downloads from an index, and compiles: hours",
            "python -m tests.corpus.wall_page": "writes the page of the checkout",
        }
    ),
    "docs/corpus.md": Page(left_out={"make corpus": LONG}),
    "docs/cpp.md": Page(
        before="""python -c 'import torch
model = torch.nn.Conv2d(3, 1, 3, stride=64).to("musa")
torch.jit.trace(model, torch.ones(1, 3, 224, 224, device="musa")).save("model.pt")'""",
        saves={"#include <torch/script.h>": "app.cpp", "cmake_minimum_required": "CMakeLists.txt"},
        slow=True,
    ),
    "docs/distributed.md": Page(
        saves={"torch.musa.set_device": "train.py"},
        substitutes={"torch.musa.set_device": "from torch_names import *\ntorch.musa.set_device"},
        slow=True,
    ),
    "docs/force-musa.md": Page(
        substitutes={"mmcv==2.2.0": "./cuda_package", "--no-deps PKG": "--no-deps ./cuda_package"},
        saves={"[some-package]": "packages.toml"},
        left_out={
            "musa-build install mmcv": "asks the package index for setuptools",
            "musa-build install PKG": SYNOPSIS,
            "FORCE_MUSA=1 CMAKE_ARGS=": SYNOPSIS,
        },
        after="""MUSA_BUILD_FORCE_PACKAGES="$PWD/packages.toml" FORCE_MUSA=1 \
pip install --no-build-isolation --no-deps --force-reinstall ./cuda_package""",
        own_environment=True,
        slow=True,
    ),
    "docs/from-cuda-extension.md": Page(
        before=f"{SOURCES}; {MY_OPS}",
        saves={"import importlib.util": "setup.py"},
        after=f"""test -s port.html
python setup.py build_ext --inplace
{USES_ADD}""",
        slow=True,
    ),
    "docs/from-other-tools.md": Page(
        before=DUMPS,
        substitutes={"train.py": "train_ascend.py"},
        after="ls result/compare_result_*.html",
        slow=True,
    ),
    "docs/from-torch-musa.md": Page(before=SOURCES, after="test -f csrc_musa/kernels.mu"),
    "docs/mmcv.md": Page(left_out={"make mmcv": LONG, "make mmcv-slice": LONG}),
    "docs/new-project.md": Page(after="test -f my-ops/setup.py"),
    "docs/operators.md": Page(
        before='cp -r "$CHECKOUT"/backend .',
        python="torch_names.py",
        left_out={
            "make kernels": KERNELS,
            "MUSA_KERNELS=1 pip install --no-build-isolation --no-deps ./backend": KERNELS,
            "export MUSA_SIM_CHECK": KERNELS,
            "MUSA_KERNELS=1 pip install --no-build-isolation --no-deps --force-reinstall ./backend": KERNELS,
            "python -m tests.kernels.opinfo": KERNELS,
            "MUSA_SIM_WARP=128 MUSA_SIM_SEED=7 python -m tests.kernels.opinfo": KERNELS,
        },
    ),
    "docs/porting.md": Page(before=f"{SOURCES}; mkdir csrc/npu", after="test -f csrc_musa/kernels.mu"),
    "docs/profiler.md": Page(python="torch_names.py", after="test -s trace.json"),
    "docs/publishing.md": Page(
        before="""cp -r "$CHECKOUT"/examples/freqencoder .
cd freqencoder
mv setup_musa.py setup.py
sed -i 's/^name = .*/&\\nreadme = "README.md"/' pyproject.toml""",
        substitutes={"install torch": "install --no-deps"},
        after=f"""python -m zipfile -l wheelhouse/*.whl > contents
grep '_MUSAC.*so' contents
test -z "$(grep 'libs/' contents)"
cp "$(python -c 'import site; print(site.getsitepackages()[0])')"/zz_libraries.pth fresh/lib/python3*/site-packages
cd fresh
{USES_FREQENCODER}""",
        own_environment=True,
        slow=True,
    ),
    "docs/questions.md": Page(
        left_out={
            'pip install "musa-build[sim]"': INDEX,
            "pip install --no-build-isolation --no-cache-dir torch-musa-sim": INDEX,
            "pip install torch --index-url": INDEX,
            "pip config set": "changes the settings of the person who runs the tests",
            'pip install "torch==2.13.0+cpu"': INDEX,
            "musa-build cache clear": "empties the caches of the person who runs the tests; tests/build has it",
            "pip uninstall": "removes what this environment is made of",
        },
    ),
    "docs/simulator-checks.md": Page(
        before=PORTED,
        substitutes={"train.py": "train_my_ops.py"},
        after="grep -q 'The checks found nothing.' findings.html",
        own_environment=True,
        slow=True,
    ),
    "docs/simulator.md": Page(python="graph_names.py", slow=True),
    "docs/tools.md": Page(
        before=f"{DUMPS}; export MUSA_TOOLS_ALIASES=1",
        python="tools_names.py",
        fails={
            "# halts at the first operator that fails": "PrecisionError",
            "musa-tools compare": "Functional.linear.0.forward",
        },
        after="ls result/compare_result_*.html",
        slow=True,
    ),
    "docs/torch-musa-build.md": Page(
        left_out={
            "make kernels": PYTORCH,
            "git clone": PYTORCH,
            "export PYTORCH_REPO_PATH": PYTORCH,
            "musa-build torch-musa AbsKernel": PYTORCH,
            "musa-build torch-musa": PYTORCH,
        },
    ),
    "docs/verify.md": Page(
        left_out={
            "musa-build verify": VERIFY,
            "musa-build verify --only assumption": VERIFY,
            "musa-build verify --checkout": VERIFY,
            "musa-build verify --jobs": VERIFY,
            "MUSA_BUILD_SIMULATOR=1 musa-build verify": VERIFY,
        },
        slow=True,
    ),
}
