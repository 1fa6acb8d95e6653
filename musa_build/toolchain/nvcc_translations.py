"""The translation of each flag of `nvcc --help` (CUDA 13.0). nvcc_flags.py reads this table.

musa_build.nvcc imports it in every compile, so it does not import dataclasses: that would double its import time.

A translated flag must not have a stronger meaning: unlike nvcc, mcc compiles host and device code with the same flags.
Not verified on MUSA hardware.

A new flag of nvcc is also added to tests/build/nvcc_flag_names.txt and, if users see its effect, to the table in
docs/building.md; a flag that the simulator's mcc has to accept, to simulator/musa_sim/mcc/command_line/flags.py; one
for the host compiler, the linker or the run of the toolkit's nvcc, to musa_build/nvcc/plan.py; one
that chooses what a run makes, to musa_build/nvcc/command.py (`_MODES`) and to the help text in answers.py beside it;
one whose value is a number or one of a few words, to musa_build/nvcc/refused.py.
"""

from __future__ import annotations

import enum
from typing import NamedTuple, Optional

#: the flag of x86 compilers that nvcc_flags drops on other machines
WORD_SIZE = "-m64"


class Takes(enum.Enum):
    """The kind of value that follows a flag, after a space or an equals sign."""

    NOTHING = enum.auto()
    VALUE = enum.auto()
    LIST = enum.auto()  # values separated by commas
    OPTIONS = enum.auto()  # a list for another program; the only values that may start with a dash


class NvccFlag(NamedTuple):
    """Flags of nvcc that share one meaning.

    A flag has several rows if each is for one value (`when`), or if one is for newer releases of mcc (`since`).

    Attributes:
        names: The flags, separated by spaces.
        takes: The kind of value that follows.
        reason: The reason for the translation, for messages.
        becomes: The flags of mcc, once for each value; "{}" is replaced by the value.
        when: The only value that this row is for.
        implies: Further flags of nvcc to translate, unless the command has them.
        remedy: An alternative for the user. A flag with a remedy is refused.
        since: The first release of mcc that has `becomes`.
        covers: Flags of nvcc. The row is skipped if the command has one of them.
    """

    names: str
    takes: Takes
    reason: str
    becomes: tuple[str, ...] = ()
    when: Optional[str] = None
    implies: tuple[str, ...] = ()
    remedy: str = ""
    since: str = ""
    covers: tuple[str, ...] = ()


_NOTHING, _VALUE, _LIST, _OPTIONS = Takes.NOTHING, Takes.VALUE, Takes.LIST, Takes.OPTIONS
_ARCHITECTURES = "architectures come from TORCH_MUSA_ARCH_LIST"
_ALWAYS = "clang always does so"
_LINKING = "nothing is linked in this step"
_OBJECTS = "a build makes an object of each source"
_OWN_FILES = "about nvcc's own files"
_FRONT_END = "about messages of NVIDIA's front end"
_NO_WARNING = "clang has no such warning"
_RDC = "clang's name for relocatable device code"
_CODE_GENERATION = "about NVIDIA's code generator"
_DEPENDENCIES = "the build records what a source includes"
#: by this macro on its command line nvcc makes stream 0 the thread's, for launches as for the API
PER_THREAD_STREAM = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"
_DIVISION = "mcc has no such flag; __fdiv_rn and __fsqrt_rn round to nearest"

_FAST_MATH = ("--ftz", "--fmad", "--prec-div", "--prec-sqrt")

NVCC_FLAGS: tuple[NvccFlag, ...] = (
    # preprocessor and language
    NvccFlag("--define-macro -D", _LIST, "clang's spelling", ("-D{}",)),
    NvccFlag("--undefine-macro -U", _LIST, "clang's spelling", ("-U{}",)),
    NvccFlag("--include-path -I", _LIST, "clang's spelling", ("-I{}",)),
    NvccFlag("--system-include -isystem", _LIST, "clang's spelling", ("-isystem", "{}")),
    NvccFlag("--pre-include -include", _LIST, "clang's spelling", ("-include", "{}")),
    NvccFlag("--std", _VALUE, "the SDK's headers need C++11", ("-std=c++11",), when="c++03"),
    NvccFlag("--std", _VALUE, "clang takes it as one argument", ("-std={}",)),
    NvccFlag("--x -x", _VALUE, "mcc compiles each source as MUSA"),
    NvccFlag("--ftemplate-depth", _VALUE, "clang takes it as one argument", ("-ftemplate-depth={}",)),
    NvccFlag(
        "--ftemplate-backtrace-limit",
        _VALUE,
        "clang takes it as one argument",
        ("-ftemplate-backtrace-limit={}",),
    ),
    NvccFlag("--no-exceptions -noeh", _NOTHING, "clang's name for it", ("-fno-exceptions",)),
    NvccFlag("--expt-relaxed-constexpr --expt-extended-lambda --extended-lambda", _NOTHING, "clang always allows it"),
    NvccFlag("--no-host-device-initializer-list -nohdinitlist", _NOTHING, "it only forbids what clang allows"),
    NvccFlag("--no-host-device-move-forward -nohdmoveforward", _NOTHING, "it only forbids what clang allows"),
    NvccFlag("--static-global-template-stub", _VALUE, "about NVIDIA's front end"),
    NvccFlag("--device-entity-has-hidden-visibility", _VALUE, "about NVIDIA's front end"),
    # architectures
    NvccFlag("--generate-code -gencode --gpu-code -code", _LIST, _ARCHITECTURES),
    NvccFlag("--gpu-architecture -arch", _VALUE, _ARCHITECTURES),
    NvccFlag("--machine -m", _VALUE, "clang's name for it", (WORD_SIZE,), when="64"),
    NvccFlag("--m64", _NOTHING, "clang's name for it", (WORD_SIZE,)),
    # optimisation and debugging
    NvccFlag("--optimize -O", _VALUE, "clang takes it as one argument", ("-O{}",)),
    NvccFlag("--debug -g", _NOTHING, "clang's name for it", ("-g",)),
    NvccFlag("--device-debug -G", _NOTHING, "nvcc's flag turns device optimisation off too", ("-g", "-O0")),
    NvccFlag("--generate-line-info -lineinfo --source-in-ptx -src-in-ptx", _NOTHING, "no counterpart is known"),
    NvccFlag("--profile -pg", _NOTHING, "mcc would instrument device code as well"),
    NvccFlag("--Ofast-compile -Ofc --dopt", _VALUE, _CODE_GENERATION),
    NvccFlag("--optimization-info -opt-info --entries -e", _LIST, _CODE_GENERATION),
    NvccFlag("--maxrregcount", _VALUE, "NVIDIA's register file"),
    NvccFlag("--extra-device-vectorization --restrict --keep-device-functions", _NOTHING, _CODE_GENERATION),
    NvccFlag("--jump-table-density -jtd --device-stack-protector", _VALUE, _CODE_GENERATION),
    NvccFlag("--dlink-time-opt -dlto --lto --gen-opt-lto", _NOTHING, "mcc optimises each source by itself"),
    # floating point. -ffast-math would let clang remove tests for NaN and reorder sums, in host code too.
    NvccFlag(
        "--use_fast_math",
        _NOTHING,
        "mcc has nvcc's flag from 5.2.0 on",
        ("-use_fast_math",),
        since="5.2.0",
        covers=_FAST_MATH,
    ),
    NvccFlag(
        "--use_fast_math",
        _NOTHING,
        "as in nvcc, NaN and infinity stay, and sums are not reordered; before mcc 5.2.0 functions stay exact",
        implies=("--ftz=true", "--fmad=true", "--prec-div=false", "--prec-sqrt=false"),
    ),
    NvccFlag("--ftz", _VALUE, "mcc's name for it", ("-fmusa-flush-denormals-to-zero",), when="true"),
    NvccFlag("--ftz", _VALUE, "the default", when="false"),
    NvccFlag("--fmad", _VALUE, "the default of clang too", when="true"),
    NvccFlag("--fmad", _VALUE, "clang's name for it", ("-ffp-contract=off",), when="false"),
    NvccFlag("--prec-div --prec-sqrt", _VALUE, _DIVISION, when="true"),
    NvccFlag("--prec-div --prec-sqrt", _VALUE, _DIVISION, when="false"),
    # relocatable device code
    NvccFlag("--relocatable-device-code -rdc", _VALUE, _RDC, ("-fgpu-rdc",), when="true"),
    NvccFlag("--relocatable-device-code -rdc", _VALUE, "the default", when="false"),
    NvccFlag("--device-c -dc", _NOTHING, _RDC, ("-fgpu-rdc",)),
    NvccFlag("--device-w -dw", _NOTHING, "the default"),
    NvccFlag("--device-link -dlink", _NOTHING, _OBJECTS, remedy="MUSAExtension(dlink=True) adds a device link step"),
    NvccFlag("--extensible-whole-program -ewp", _NOTHING, "mcc has no such mode", remedy="use -rdc=true"),
    # flags that `nvcc --help` does not show
    NvccFlag("--aggressive-inline --no-device-inline --no-shadow-functions", _NOTHING, _CODE_GENERATION),
    NvccFlag("--restrict-in-struct --legacy-launch-seq", _NOTHING, _CODE_GENERATION),
    # streams
    NvccFlag("--default-stream", _VALUE, "the default", when="legacy"),
    NvccFlag("--default-stream", _VALUE, "the default", when="null"),
    NvccFlag("--default-stream", _VALUE, "clang's name for it", (f"{PER_THREAD_STREAM}=1",), when="per-thread"),
    # warnings and messages
    NvccFlag("--disable-warnings -w", _NOTHING, "clang's name for it", ("-w",)),
    NvccFlag("--Werror", _LIST, "clang's name for it", ("-Werror",), when="all-warnings"),
    NvccFlag("--Werror", _LIST, "clang refuses such calls always", when="cross-execution-space-call"),
    NvccFlag("--Werror", _LIST, _NO_WARNING, when="default-stream-launch"),
    NvccFlag("--Werror", _LIST, _NO_WARNING, when="missing-launch-bounds"),
    NvccFlag("--Werror", _LIST, _NO_WARNING, when="ext-lambda-captures-this"),
    NvccFlag("--Werror", _LIST, "clang takes it as one argument", ("-Werror={}",)),
    NvccFlag("--Wreorder", _NOTHING, "clang's name for it", ("-Wreorder",)),
    NvccFlag("--Wno-deprecated-declarations", _NOTHING, "clang's name for it", ("-Wno-deprecated-declarations",)),
    NvccFlag("--Wno-deprecated-gpu-targets", _NOTHING, "about NVIDIA's architectures"),
    NvccFlag("--Wdefault-stream-launch --Wmissing-launch-bounds --Wext-lambda-captures-this", _NOTHING, _NO_WARNING),
    NvccFlag("--diag-error --diag-suppress --diag-warn", _LIST, _FRONT_END),
    NvccFlag("--display-error-number -err-no --no-display-error-number -no-err-no", _NOTHING, _FRONT_END),
    NvccFlag("--brief-diagnostics -brief-diag", _VALUE, _FRONT_END),
    NvccFlag("--resource-usage -res-usage", _NOTHING, _CODE_GENERATION),
    NvccFlag("--verbose -v", _NOTHING, "clang's name for it", ("-v",)),
    # other programs
    NvccFlag("--compiler-options -Xcompiler", _OPTIONS, "mcc takes host flags directly", ("{}",)),
    NvccFlag("--compiler-bindir -ccbin", _VALUE, "mcc is its own host compiler"),
    NvccFlag("--allow-unsupported-compiler", _NOTHING, "mcc is its own host compiler"),
    NvccFlag("--ptxas-options -Xptxas --nvlink-options -Xnvlink", _OPTIONS, "a tool of NVIDIA's"),
    NvccFlag("--cudafe-options -Xcudafe --fatbin-options -Xfatbin", _OPTIONS, "a tool of NVIDIA's"),
    NvccFlag("--cicc-options -Xcicc", _OPTIONS, "a tool of NVIDIA's"),
    NvccFlag("--sanitize", _VALUE, "a tool of NVIDIA's", remedy="on the simulator, set MUSA_SIM_CHECK=all"),
    NvccFlag("--compile-as-tools-patch -astoolspatch", _NOTHING, "a tool of NVIDIA's", remedy="remove it"),
    NvccFlag("--qpp-config", _VALUE, "mcc is its own host compiler"),
    NvccFlag("--forward-unknown-to-host-compiler --forward-unknown-to-host-linker", _NOTHING, _ALWAYS),
    NvccFlag("--forward-unknown-opts", _NOTHING, _ALWAYS),
    # linking
    NvccFlag("--library -l --library-path -L", _LIST, _LINKING),
    NvccFlag("--linker-options -Xlinker --archive-options -Xarchive", _OPTIONS, _LINKING),
    NvccFlag("--cudart --cudadevrt --host-linker-script -hls --archiver-binary -arbin", _VALUE, _LINKING),
    NvccFlag("--shared --augment-host-linker-script -aug-hls --relocatable-link -r", _NOTHING, _LINKING),
    NvccFlag("--no-device-link -nodlink --relocatable-ptx -reloc-ptx", _NOTHING, _LINKING),
    # how nvcc works
    NvccFlag("--threads -t --split-compile --split-compile-extended", _VALUE, "threads of nvcc"),
    NvccFlag("--jobserver", _NOTHING, "threads of nvcc"),
    NvccFlag("--keep --save-temps --objdir-as-tempdir -objtemp", _NOTHING, "intermediate files of nvcc"),
    NvccFlag("--keep-dir", _VALUE, "intermediate files of nvcc"),
    NvccFlag("--no-compress", _NOTHING, "NVIDIA's file format"),
    NvccFlag("--compress-mode", _VALUE, "NVIDIA's file format"),
    NvccFlag("--time --fdevice-time-trace", _VALUE, "nvcc's own report"),
    NvccFlag("--frandom-seed", _VALUE, "mcc needs none"),
    NvccFlag("--dont-use-profile -noprof --use-local-env --force-cl-env-setup", _NOTHING, _OWN_FILES),
    NvccFlag("--libdevice-directory -ldir --target-directory -target-dir", _VALUE, _OWN_FILES),
    NvccFlag("--input-drive-prefix -idp --dependency-drive-prefix -ddp --drive-prefix -dp", _VALUE, "for Windows"),
    NvccFlag("--no-align-double", _NOTHING, "for 32-bit platforms"),
    NvccFlag("--run-args", _OPTIONS, "nothing is run"),
    # flags that the build sets
    NvccFlag("--compile -c", _NOTHING, _OBJECTS),
    NvccFlag("--generate-dependencies-with-compile -MD", _NOTHING, _DEPENDENCIES),
    NvccFlag("--generate-nonsystem-dependencies-with-compile -MMD", _NOTHING, _DEPENDENCIES),
    NvccFlag("--generate-dependency-targets -MP", _NOTHING, _DEPENDENCIES),
    NvccFlag("--dependency-output -MF --dependency-target-name -MT", _VALUE, _DEPENDENCIES),
    NvccFlag("--output-file -o --output-directory -odir", _VALUE, _OBJECTS, remedy="remove it: the build names them"),
    NvccFlag("--cuda --cubin --fatbin --ptx --optix-ir --ltoir", _NOTHING, _OBJECTS, remedy="remove it"),
    NvccFlag("--preprocess -E --generate-dependencies -M", _NOTHING, _OBJECTS, remedy="remove it"),
    NvccFlag("--generate-nonsystem-dependencies -MM", _NOTHING, _OBJECTS, remedy="remove it"),
    NvccFlag("--link --lib --run --clean-targets -clean", _NOTHING, _OBJECTS, remedy="remove it"),
    NvccFlag("--fdevice-syntax-only", _NOTHING, _OBJECTS, remedy="remove it"),
    NvccFlag("--dryrun", _NOTHING, _OBJECTS, remedy="MUSA_BUILD_VERBOSE=1 shows the commands"),
    NvccFlag("--help -h --version -V", _NOTHING, _OBJECTS, remedy="remove it"),
    NvccFlag("--list-gpu-code -code-ls --list-gpu-arch -arch-ls", _NOTHING, _OBJECTS, remedy="remove it"),
    NvccFlag("--options-file -optf", _LIST, "the build does not read such files", remedy="add its flags to the list"),
)
