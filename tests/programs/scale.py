"""The projects that SCALE is tested with, by their own build files through the CUDA toolkit.

    SCALE_PROJECTS=FOLDER python -m tests.programs.scale NAME ... [--minutes 10]   # resumes
    SCALE_PROJECTS=FOLDER python -m tests.programs.scale --build NAME ...          # builds it, and runs its tests
    python -m tests.programs.scale page                                            # the tables, once more

FOLDER has a checkout of each project, under the name of its repository and with its submodules, and what some of them
need beside it: googletest, openblas/libopenblas.so, cccl (the headers of nvidia-cuda-cccl-cu12). The build goes to
NAME-musa beside the checkout. A project is configured with CMake or needs no configuration. Without `--build`, its
device files are parsed one by one, for host and device, with the flags that its build files give them, or with those
below where it is not configured. The outcomes are kept in docs/scale-projects.json.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from .suites import DOCS, call, first_error, toolkit_variables

OUTCOMES = DOCS / "scale-projects.json"
CONFIGURE_SECONDS, FILE_SECONDS, BUILD_SECONDS, TEST_SECONDS = 900, 600, 3600, 900
BEGIN, END = "<!-- written by python -m tests.programs.scale page -->\n", "<!-- end of what is written -->\n"
_INCLUDES = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+\.cu)"', re.MULTILINE)
_CONFIGURED = ("yes", "not needed")
_CMAKE = ("cmake", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CUDA_ARCHITECTURES=80")


@dataclass(frozen=True)
class Project:
    """How a project is built and tested. `{0}` in its words is the checkout, `{1}` the build folder."""

    repository: str
    version: str
    cards: int  # the number of SCALE 1.7.1's six on which it passes
    options: tuple[str, ...] = ()  # of CMake
    source: str = ""  # the folder with CMakeLists.txt, below the checkout
    build: tuple[str, ...] = (
        "ninja",
        "-k0",
        "-j2",
    )  # run in the build folder; without CMake, in a copy of the checkout
    cmake: bool = True
    files: tuple[str, ...] = ()  # where CMake does not name them: device files ...
    flags: tuple[str, ...] = ()  # ... and their flags
    tests: tuple[tuple[str, ...], ...] = ()
    variables: tuple[tuple[str, str], ...] = ()  # of the environment

    @property
    def name(self) -> str:
        return self.repository.partition("/")[2]


@dataclass(frozen=True)
class Outcome:
    """The answers about a project. Each word but `configured` is "" where it was not tried."""

    configured: str = ""  # "yes", "not needed" or the first error
    files: int = 0
    parsed: Mapping[str, str] = field(default_factory=dict)  # "" or the first error, by the file
    built: str = ""  # "yes", or the first error
    tests: str = ""  # "passed", or what is wrong


_CHECKS = str(Path(__file__).with_name("scale_checks.py"))
PROJECTS = {
    project.name: project
    for project in (
        Project("CESNET/GPUJPEG", "165477b", 5, tests=(("ctest", "--output-on-failure"),)),
        Project(
            "stotko/stdgpu",
            "22599cf",
            2,
            # it asks for Thrust 1.13 and parts of Thrust's inside: NVIDIA's own headers
            (
                *("-DSTDGPU_BUILD_EXAMPLES=OFF", "-DSTDGPU_BUILD_TESTS=OFF", "-DSTDGPU_BUILD_BENCHMARKS=OFF"),
                *(
                    "-DTHRUST_INCLUDE_DIR={0}/../cccl",
                    "-DLIBCUDACXX_INCLUDE_DIR={0}/../cccl",
                    "-DCUB_INCLUDE_DIR={0}/../cccl",
                ),
            ),
        ),
        Project(
            "hashcat/hashcat",
            "d3983ed",
            6,
            cmake=False,
            files=("OpenCL/*.none",),
            build=("make", "-j2", "hashcat", "modules/module_01400.so"),
            tests=(
                ("sh", "-ec", "printf test | sha256sum | cut -c1-64 > hash.txt"),
                (
                    *("./hashcat", "--backend-ignore-hip", "--backend-ignore-opencl", "--potfile-disable", "--force"),
                    *("-O", "-m", "1400", "-a", "3", "hash.txt", "te?l?l"),
                ),
            ),
        ),
        Project(
            "NVlabs/flip",
            "1eb247c",
            5,
            ("-DFLIP_ENABLE_CUDA=ON",),
            "src",
            tests=(("python", _CHECKS, "flip", "{0}"),),
            # a template without users launches a kernel that has no declaration
            variables=(("NVCC_APPEND_FLAGS", "-fdelayed-template-parsing"),),
        ),
        Project("szcompressor/cuSZ", "d3cde38", 5, ("-DBUILD_TESTING=ON", "-DPSZ_BUILD_EXAMPLES=ON")),
        Project("ePirat/gpu_jpeg2k", "ee715e9", 0, ("-DCMAKE_POLICY_VERSION_MINIMUM=3.5",)),
        Project(
            "GOMC-WSU/GOMC",
            "785c2ce",
            2,
            ("-DGOMC_GTEST=OFF",),
            build=("ninja", "-k0", "-j2", "GOMC_GPU_NVT", "GOMC_CPU_NVT"),
            tests=(("python", _CHECKS, "GOMC", "{0}"),),
        ),
        Project("NVIDIA/AMGX", "3188dce", 0, ("-DCMAKE_NO_MPI=ON",)),
        Project(
            "facebookresearch/faiss",
            "02dbb4e",
            0,
            (
                *("-DFAISS_ENABLE_PYTHON=OFF", "-DBUILD_TESTING=OFF", "-DFAISS_ENABLE_EXTRAS=OFF"),
                *(
                    "-DBLAS_LIBRARIES={0}/../openblas/libopenblas.so",
                    "-DLAPACK_LIBRARIES={0}/../openblas/libopenblas.so",
                ),
            ),
        ),
        Project("microsoft/LightGBM", "bae0b7b", 0, ("-DUSE_CUDA=ON",)),
        Project(
            "OpenNMT/CTranslate2",
            "0d8bcd3",
            0,
            ("-DOPENMP_RUNTIME=COMP", "-DWITH_MKL=OFF", "-DWITH_CUDA=ON", "-DCMAKE_POLICY_VERSION_MINIMUM=3.5"),
        ),
        Project(
            "UppASD/UppASD",
            "d8d6663",
            6,
            ("-DUSE_CUDA=ON",),
            files=("source/gpu_files/*.cu",),
            flags=("-std=c++17", "-D__GNU__", "-I{0}/source/gpu_files"),
        ),
        Project("FLAMEGPU/FLAMEGPU2", "1a11aea", 1),
        Project(
            "BVLC/caffe", "9b89154", 4, ("-DUSE_CUDNN=OFF", "-DUSE_OPENCV=OFF", "-DBUILD_python=OFF", "-DBLAS=Open")
        ),
        Project(
            "chrxh/alien",
            "9c4331b",
            5,
            files=("source/EngineGpuKernels/*.cu",),
            flags=("-std=c++20", "--expt-relaxed-constexpr", "-rdc=true", "-I{0}/source"),
        ),
        Project(
            "NVIDIA-Omniverse/PhysX",
            "a3d8a64",
            0,
            ("-DPHYSX_ROOT_DIR={0}/physx",),
            "physx/compiler/public",
            files=("physx/source/gpu*/src/CUDA/*.cu", "physx/source/cudamanager/src/CUDA/*.cu"),
            flags=(
                *("-std=c++17", "-DNDEBUG", "-DPX_PHYSX_STATIC_LIB", "-I{0}/physx/include"),
                *(
                    f"-I{{0}}/physx/source/{folder}"
                    for folder in (
                        *("foundation/include", "common/include", "common/src", "geomutils/include", "geomutils/src"),
                        *("geomutils/src/mesh", "geomutils/src/convex", "geomutils/src/hf", "geomutils/src/contact"),
                        *("gpucommon/include", "gpucommon/src/CUDA", "gpusolver/include", "gpusolver/src/CUDA"),
                        *("gpubroadphase/include", "gpubroadphase/src/CUDA", "gpunarrowphase/include"),
                        *("gpunarrowphase/src/CUDA", "gpusimulationcontroller/include", "gpuarticulation/include"),
                        *("gpusimulationcontroller/src/CUDA", "gpuarticulation/src/CUDA", "cudamanager/include"),
                        *("lowlevel/api/include", "lowlevel/common/include", "lowlevel/software/include"),
                        *("lowleveldynamics/include", "lowleveldynamics/shared", "lowlevelaabb/include"),
                        *("simulationcontroller/include", "physxgpu/include", "physx/src", "scenequery/include"),
                    )
                ),
            ),
        ),
        Project("ggml-org/ggml", "d99724f", 6, ("-DGGML_CUDA=ON",)),
        Project("gromacs/gromacs", "b1a82ec", 2, ("-DGMX_GPU=CUDA",)),
        Project(
            "arrayfire/arrayfire",
            "492718b",
            0,
            ("-DAF_BUILD_CPU=OFF", "-DAF_BUILD_OPENCL=OFF", "-DAF_BUILD_CUDA=ON", "-DAF_WITH_CUDNN=OFF"),
        ),
        Project("lattice/quda", "9521952", 0, ("-DQUDA_TARGET_TYPE=CUDA",)),
        Project("blender/cycles", "97dbe6f", 6),
        Project("CVCUDA/CV-CUDA", "da51fc9", 0),
        Project("NVIDIA/thrust", "756c5af", 0),
        Project("hypre-space/hypre", "0854739", 0, ("-DHYPRE_ENABLE_CUDA=ON", "-DHYPRE_ENABLE_MPI=OFF"), "src"),
        Project("proteneer/timemachine", "2f6fe1f", 0, (), "timemachine/cpp"),
        Project(
            "microsoft/BitNet",
            "16da220",
            6,
            cmake=False,
            files=("gpu/bitnet_kernels/bitnet_kernels.cu",),
            flags=("-std=c++17", "-Xcompiler", "-fPIC"),
            build=("bash", "-c", "cd gpu/bitnet_kernels && bash compile.sh"),
        ),
        Project(
            "karpathy/llm.c", "f1e2ace", 0, cmake=False, files=("*.cu", "dev/cuda/*.cu"), flags=("-std=c++17", "-I{0}")
        ),
        Project(
            "NVIDIA/jitify",
            "e0a37a6",
            1,
            cmake=False,
            files=("jitify_test.cu",),
            flags=("-std=c++17", "-I{0}", "-I{0}/../googletest/googletest/include"),
        ),
        Project(
            "kstppd/hashinator",
            "ccb8105",
            0,
            cmake=False,
            files=("unit_tests/*/*.cu",),
            flags=(
                *("-std=c++20", "-DHASHMAPDEBUG", "--expt-relaxed-constexpr", "--expt-extended-lambda"),
                "-I{0}/../googletest/googletest/include",
            ),
        ),
        Project(
            "manospavlidakis/rodinia_suite",
            "102dc39",
            6,
            cmake=False,
            files=("cuda/*/*.cu",),
            flags=("-std=c++17",),
            build=("bash", "-c", "cuda/buildall.sh --cuda $CUDA_HOME --sm 80"),
            tests=(("python", _CHECKS, "rodinia_suite", "{0}"),),
        ),
        Project(
            "NCAR/FastEddy-model",
            "ebe3564",
            5,
            cmake=False,
            files=("SRC/**/*.cu",),
            flags=(
                "-I{0}/SRC/FECUDA",
                "-I{0}/SRC/GRID",
                "-I{0}/SRC/HYDRO_CORE",
                "-I{0}/SRC/PARAMETERS",
                "-I{0}/SRC/FEMPI",
            ),
        ),
    )
}


def outcomes() -> dict[str, Outcome]:
    """Return the kept outcomes by the project's name."""
    kept = json.loads(OUTCOMES.read_text(encoding="utf-8")) if OUTCOMES.is_file() else {}
    return {name: Outcome(**one) for name, one in kept.items()}


def keep(name: str, outcome: Outcome) -> None:
    """Replace what is known of a project."""
    every = {**outcomes(), name: outcome}
    text = json.dumps({key: asdict(every[key]) for key in sorted(every)}, indent=1, sort_keys=True)
    OUTCOMES.write_text(text + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Language:
    """A page with the table, and its words."""

    page: Path
    totals: str
    header: tuple[str, ...]
    some: str  # of a project's device files
    every: str
    words: Mapping[str, str] = field(default_factory=dict)  # by the English one


ENGLISH = Language(
    DOCS / "cuda-toolkit.md",
    "Of {projects} projects, {configured} are configured, {built} were built, {passed} pass the tests. "
    "{good} of the {tried} device files that were tried compile.",
    ("project", "version", "SCALE's cards", "configured", "files that compile", "built", "tests", "what is wrong"),
    "{good} of {tried} tried, of {files}",
    "{good} of {tried}",
)
CHINESE = Language(
    DOCS / "zh" / "cuda-toolkit.md",
    "{projects} 个项目中，{configured} 个配置成功，{built} 个完成了构建，{passed} 个通过了测试。"
    "试过的 {tried} 个设备代码文件中有 {good} 个能编译。",
    ("项目", "版本", "SCALE 的显卡", "配置", "能编译 / 试过的文件", "构建", "测试", "出错信息"),
    "{good} / {tried}（共 {files} 个）",
    "{good} / {tried}",
    {"yes": "成功", "no": "失败", "not needed": "不需要", "passed": "通过"},
)


def row(project: Project, outcome: Outcome, language: Language = ENGLISH) -> str:
    """Return a project's row of the table."""
    tried, good = len(outcome.parsed), sum(not error for error in outcome.parsed.values())
    form = language.some if tried < outcome.files else language.every
    reasons = sorted({error for error in outcome.parsed.values() if error})
    why = "; ".join(
        text
        for text in (outcome.configured, *reasons[:2], outcome.built, outcome.tests)
        if text not in ("", "yes", "passed", "not needed")
    )
    configured, built, tests = (
        language.words.get(word, word)
        for word in (_said(outcome.configured, "yes"), _said(outcome.built, "yes"), _said(outcome.tests, "passed"))
    )
    cells = (
        f"[{project.name}](https://github.com/{project.repository})",
        project.version,
        f"{project.cards}",
        configured,
        form.format(good=good, tried=tried, files=outcome.files) if tried else "",
        built,
        tests,
        why.replace("|", "\\|").replace("<", "&lt;"),
    )
    return f"| {' | '.join(cells)} |".replace("  ", " ")


def _said(text: str, good: str) -> str:
    return text if text in ("", good, "not needed") else "no"


def table(found: Mapping[str, Outcome], language: Language = ENGLISH) -> str:
    """Return the totals and the table."""
    every = [found[name] for name in sorted(found)]
    totals = language.totals.format(
        projects=len(every),
        configured=sum(one.configured == "yes" for one in every),
        built=sum(one.built == "yes" for one in every),
        passed=sum(one.tests == "passed" for one in every),
        good=sum(not error for one in every for error in one.parsed.values()),
        tried=sum(len(one.parsed) for one in every),
    )
    lines = [
        totals,
        "",
        f"| {' | '.join(language.header)} |",
        "|---|---|--:|---|---|---|---|---|",
        *(row(PROJECTS[name], found[name], language) for name in sorted(found, key=str.lower)),
    ]
    return "\n".join(lines) + "\n"


def write_pages() -> None:
    """Write the table into the pages."""
    for language in (ENGLISH, CHINESE):
        before, _, rest = language.page.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        text = f"{before}{BEGIN}\n{table(outcomes(), language)}\n{END}{after}"
        language.page.write_text(text, encoding="utf-8")


def configure(project: Project, checkout: Path, build: Path, environment: Mapping[str, str]) -> str:
    """Configure a project. Return "yes", "not needed" or what is wrong."""
    if not project.cmake:
        return "not needed"
    words = (*_CMAKE, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-S", checkout / project.source, "-B", build)
    options = (option.format(checkout, build) for option in project.options)
    status, said = call((*words, *options), checkout, environment, CONFIGURE_SECONDS)
    build.mkdir(parents=True, exist_ok=True)
    (build / "configure.log").write_text(said, encoding="utf-8")
    if status:
        said = said[max(said.find("CMake Error"), 0) :]
        return re.sub(r"/\S*/", "", " ".join(said.split("Call Stack")[0].split()))[:200]
    return "yes"


def commands(project: Project, checkout: Path, build: Path) -> dict[str, tuple[list[str], Path]]:
    """Return the command that compiles each device file, and its folder, by the file's path below the checkout."""
    if project.files:
        flags = [flag.format(checkout) for flag in project.flags]
        matching = sorted({path for pattern in project.files for path in checkout.glob(pattern)})
        included = _included(checkout)
        files = [path for path in matching if path.name not in included]
        return {str(path.relative_to(checkout)): (["nvcc", *flags, "-c", str(path)], path.parent) for path in files}
    database = build / "compile_commands.json"
    entries = json.loads(database.read_text(encoding="utf-8")) if database.is_file() else []
    return {
        entry["file"].replace(f"{checkout}/", "").replace(f"{build}/", "build/"): (
            shlex.split(entry["command"]),
            Path(entry["directory"]),
        )
        for entry in entries
        if entry["command"].split()[0].endswith("nvcc")
    }


def _included(checkout: Path) -> set[str]:
    """Return the names of device files that other files include: no build file compiles them by themselves."""
    sources = (path for suffix in ("*.cu", "*.cpp", "*.c", "*.h", "*.cuh") for path in checkout.rglob(suffix))
    texts = (path.read_text("utf-8", "ignore") for path in sources if path.is_file())
    return {Path(name).name for text in texts for name in _INCLUDES.findall(text)}


def parse(
    planned: Mapping[str, tuple[list[str], Path]], known: Mapping[str, str], end: float, environment: Mapping[str, str]
) -> dict[str, str]:
    """Parse those files first of which nothing is known, then those that failed, until the time `end`."""
    found = {file: known[file] for file in planned if file in known}
    for file in sorted(planned, key=lambda each: (each in found, each)):
        if time.monotonic() > end or found.get(file) == "":
            continue
        command, folder = planned[file]
        status, said = call((*command, "-Xcompiler=-fsyntax-only"), folder, environment, FILE_SECONDS)
        if status != -1:
            found[file] = first_error(said) if status else ""
            print(f"{file}: {found[file] or 'ok'}", flush=True)
    return found


def main() -> int:
    """Try projects, or write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME", help=f"page | {' | '.join(PROJECTS)}")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--build", action="store_true")
    given = parser.parse_args()
    if given.names == ["page"]:
        write_pages()
        return 0
    folder = os.environ.get("SCALE_PROJECTS", "")
    if not folder:
        print("SCALE_PROJECTS must name a folder with the checkouts", file=sys.stderr)
        return 2
    toolkit = {**toolkit_variables(), "MUSA_SIM_ARCH": "mp_22"}
    for name in given.names:
        environment = {**toolkit, **dict(PROJECTS[name].variables)}
        project, checkout = PROJECTS[name], Path(folder, name).resolve()
        build = checkout.with_name(f"{name}-musa")
        known = outcomes().get(name, Outcome())
        outcome = replace(known, configured=configure(project, checkout, build, environment))
        if outcome.configured in _CONFIGURED or project.files:
            planned = commands(project, checkout, build)
            end = time.monotonic() + 60 * (0 if given.build else given.minutes)
            outcome = replace(outcome, files=len(planned), parsed=parse(planned, known.parsed, end, environment))
        if given.build and outcome.configured in _CONFIGURED:
            outcome = built_and_tested(project, outcome, checkout, build, environment)
        keep(name, outcome)
        print(row(project, outcome), flush=True)
    write_pages()
    return 0


def built_and_tested(
    project: Project, outcome: Outcome, checkout: Path, build: Path, environment: Mapping[str, str]
) -> Outcome:
    """Build a project and run its tests."""
    folder = build if project.cmake else checkout
    status, said = call(project.build, folder, environment, BUILD_SECONDS)
    (folder / "build-musa.log").write_text(said, encoding="utf-8")
    if status:
        return replace(outcome, built=first_error(said))
    for words in project.tests:
        command = [word.format(checkout, build) if _CHECKS in words else word for word in words]
        status, said = call(command, folder, environment, TEST_SECONDS)
        (folder / "test-musa.log").write_text(said, encoding="utf-8")
        if status:
            wrong = f"more than {TEST_SECONDS} s" if status == -1 else first_error(said)
            return replace(outcome, built="yes", tests=f"{words[0]}: {wrong}")
    return replace(outcome, built="yes", tests="passed" if project.tests else "")


if __name__ == "__main__":
    sys.exit(main())
