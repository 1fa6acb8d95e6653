# Two commands do everything on a fresh machine with Python 3.10+ (venv and headers), g++, git, make:
#   make demo    build all, run freqencoder (written in CUDA) on the simulated musa device, show the result
#   make test    build all, run the linters and the tests; `make test-slow` runs those that take longest
PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
PYTEST_ARGS ?=
# results that several processes compile are kept in .pytest_cache and compiled once
# one process more than there are cores: some tests wait
PARALLEL ?= --numprocesses $(shell echo $$(( $$(nproc) < 4 ? $$(nproc) + 1 : 4 ))) --dist worksteal

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Runs pip, shows the build's own progress lines ([3/9] ...), keeps the rest in a log and shows that, whole, on failure.
# Python compiles the modules that are imported, when they are; pip would compile all of torch's.
define pip_install
$(PIP) install --verbose --no-compile $(1) 2>&1 | tee $(VENV)/log | sed -nu 's/^ *\(\[[0-9]*\/[0-9]*\] .*\)/  \1/p' \
	|| { cat $(VENV)/log; exit 1; }
endef
export MUSA_BUILD_SIMULATOR = 1
# Many containers set it. Then each process that imports torch would compile its modules anew, for 2.6 s of CPU time.
unexport PYTHONDONTWRITEBYTECODE
# the idle threads of torch's operators leave the cores to the other processes
export OMP_WAIT_POLICY ?= passive

PACKAGE := $(shell find musa_build simulator/musa_sim tools/musa_tools -type f -not -path '*/__pycache__/*' 2>/dev/null)
BACKEND := $(shell find backend -type f -not -path 'backend/tests/*' -not -path '*/build/*' -not -path '*.egg-info/*' -not -path '*/__pycache__/*')
.PHONY: demo test test-all test-slow ci tests sdk-libraries docs kernels kernels-cost opinfo conformance nvidia-card truth fuzz corpus torch-headers peer-tests mmcv mmcv-slice matrix release lint unit env clean
.DELETE_ON_ERROR:

demo: $(VENV)/.backend
	@$(BIN)/python -m musa_build demo --output demo-output

# the linters have one core, the compilers the other
# test-all runs the tests of `test` and `test-slow` at once: each process collects the tests once, and quick tests fill the
# time in which slow ones end
test test-all: $(VENV)/.package
	@+$(MAKE) --no-print-directory --jobs=2 lint $(VENV)/.backend
	$(BIN)/python -m pytest $(PARALLEL) $(if $(filter test,$@),-m "not slow") $(PYTEST_ARGS)

# the work of CI: the linters, the quick tests, a twenty-first of the slow ones (by the day of the year: decision 57) and
# mmcv-slice, with something to do for all cores at all times. The simulator's libraries are compiled while pip downloads
# and unpacks; mmcv-slice takes the time in which the tests' processes wait, and compiles one file at a time, as each needs
# up to 2 GB of memory. `make ci SLOW_PART=` runs all.
ci: SLOW_PART ?= $(shell echo $$(( $$(date +%-j) % 21 + 1 )))/21
ci:
	@+$(MAKE) --no-print-directory --jobs=2 $(VENV)/.package sdk-libraries
	@+$(MAKE) --no-print-directory --jobs=2 lint $(VENV)/.backend
	@+$(MAKE) --no-print-directory --jobs=2 tests mmcv-slice MMCV_JOBS=1 SLOW_PART=$(SLOW_PART)

# needs g++ alone, and Python without any package
sdk-libraries:
	PYTHONPATH=simulator $(PYTHON) -m musa_sim libraries

# all tests, without the linters; of the slow ones those of SLOW_PART, if it is given
tests: $(VENV)/.backend
	$(BIN)/python -m pytest $(PARALLEL) $(if $(SLOW_PART),--slow-part $(SLOW_PART)) $(PYTEST_ARGS)

# the tests that `make test` leaves out: larger worlds, other launchers, whole programs; each has a quicker test beside it
test-slow: $(VENV)/.backend
	$(BIN)/python -m pytest $(PARALLEL) -m slow $(PYTEST_ARGS)

# only what needs no compiler: seconds
unit: $(VENV)/.package
	$(BIN)/python -m pytest -m "not compiles and not slow" $(PYTEST_ARGS)

# the simulator's own suite on every combination that it supports: both clangs, -O0 and -O2, one worker and two, warps
# of 32 and 128 lanes
conformance: $(VENV)/.package
	@for clang in "" $$(command -v clang-19); do for level in -O0 -O2; do for workers in 1 2; do for warp in 32 128; do \
		echo "clang=$${clang:-ziglang} $$level workers=$$workers warp=$$warp"; \
		MUSA_SIM_CLANG=$$clang SIM_TEST_MCC_FLAGS=$$level \
			SIM_TEST_RUN_ENV="MUSA_SIM_THREADS=$$workers MUSA_SIM_WARP=$$warp" \
			$(BIN)/python -m pytest -q $(PARALLEL) tests/sim/runtime tests/sim/stdlib tests/sim/mcc/test_block_functions.py $(PYTEST_ARGS) || exit 1; \
	done; done; done; done

# random texts to port, random command lines, and random kernels that are compared with NumPy: an hour of CPU time for
# 10,000 kernels. Finds are in build/fuzz; FUZZ_SEED= continues a search, FUZZ_SECONDS= ends it earlier (CONTRIBUTING.md)
FUZZ_PROGRAMS ?= 10000
FUZZ_EXAMPLES ?= 2000
FUZZ_SEED ?=
FUZZ_SECONDS ?= inf
fuzz: $(VENV)/.package
	FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) $(BIN)/python -m pytest -q tests/fuzz/test_fuzz_porting.py tests/fuzz/test_fuzz_flags.py
	$(BIN)/python -m tests.fuzz --programs $(FUZZ_PROGRAMS) --seed "$(FUZZ_SEED)" --seconds $(FUZZ_SECONDS)

# runs the simulator's programs on an NVIDIA card: compiles them by nvcc, runs them, keeps a record that `make test`
# compares with. Without a card it ends before the run and says which folder to carry to one. CARD=simulator rehearses it.
# `make truth` is its older name
CARD_RUN := build/nvidia-card
CARD ?= nvidia
nvidia-card truth: $(VENV)/.package
	rm -rf $(CARD_RUN)
	SIM_CARD_COLLECT="$(CURDIR)/$(CARD_RUN)/cases" $(BIN)/python -m pytest -q $(PARALLEL) \
		tests/sim/runtime tests/sim/checks tests/sim/libraries tests/sim/stdlib $(PYTEST_ARGS)
	$(BIN)/python tests/nvidia_card/bundle.py $(CARD_RUN)/cases $(CARD_RUN)/bundle --compiler $(if $(filter simulator,$(CARD)),mcc,nvcc)
	$(BIN)/python $(CARD_RUN)/bundle/run_cases.py $(CARD_RUN)/bundle \
		--out $(if $(filter simulator,$(CARD)),$(CARD_RUN)/rehearsal,tests/nvidia_card/records)
	$(if $(filter simulator,$(CARD)),SIM_CARD_RECORDS="$(CURDIR)/$(CARD_RUN)/rehearsal") $(BIN)/python -m pytest -q $(PARALLEL) \
		tests/nvidia_card tests/sim/runtime tests/sim/checks tests/sim/libraries tests/sim/stdlib $(PYTEST_ARGS)

# the backend with the kernel library, whose kernels then compute instead of the CPU's; its tests (docs/operators.md)
kernels: $(VENV)/.backend
	@echo "building the kernel library (up to half an hour of CPU time the first time) ..."
	@MUSA_KERNELS=1 $(call pip_install,--no-build-isolation --no-deps ./backend)
	$(BIN)/python -m pytest tests/kernels tests/torch_kernels $(PYTEST_ARGS)

# the cost of compiling each file of the kernel library, without a cache; fails above 60 s of CPU time or 1 GB
kernels-cost:
	$(BIN)/python -m tests.kernels.compile_cost

# all samples of PyTorch's operator database on the kernels of the library, values and gradients (docs/operators.md)
OPS ?=
opinfo: $(VENV)/.backend
	$(BIN)/python -m tests.kernels.opinfo --grad $(if $(OPS),--ops $(OPS))

# real packages from the package index, all of them: many minutes the first time (docs/corpus.md)
corpus: $(VENV)/.backend
	MUSA_BUILD_CORPUS=1 $(BIN)/python -m pytest tests/corpus $(PYTEST_ARGS)
	$(BIN)/python docs/site/gallery.py build/corpus.html

# every ported header of PyTorch through the simulated SDK's compiler; writes docs/porting-torch-headers.md (an hour on a core)
torch-headers: $(VENV)/.backend
	$(BIN)/python tests/porting/torch_headers_alone.py --jobs $$(nproc)

# torch_musa's own unit tests, unchanged, from a checkout of it; writes docs/peer-tests.md (a quarter of an hour)
PEER_NEEDS := cloudpickle psutil torchvision
peer-tests: $(VENV)/.backend
	$(PIP) install --quiet $(PEER_NEEDS) "$(TORCH)"
	$(BIN)/python tests/torch_musa_tests/table.py --checkout "$(CHECKOUT)"

# mmcv, unmodified, from the package index: an hour of compiling the first time, then its table (docs/mmcv.md)
MMCV ?= mmcv==2.2.0
MMCV_NEEDS := mmengine addict yapf packaging Pillow pyyaml opencv-python-headless
MMCV_SLICE := nms roi_align box_iou_quadri
mmcv: $(VENV)/.backend
	$(BIN)/python -m musa_build install --keep-going $(MMCV)
	$(PIP) install --quiet $(MMCV_NEEDS)
	$(BIN)/python tests/force/mmcv/table.py --markdown build/mmcv-table.md

# three of its operators, the same way: some ten files to compile. All lies in a folder of its own: the environment stays as
# it is, so the tests may run at the same time.
MMCV_FOLDER := build/mmcv-slice
MMCV_JOBS ?= $(shell nproc)
mmcv-slice: $(VENV)/.backend
	rm -rf $(MMCV_FOLDER)
	MAX_JOBS=$(MMCV_JOBS) $(BIN)/python -m musa_build install $(MMCV) --target $(MMCV_FOLDER) \
		--only '$(foreach operator,$(MMCV_SLICE),$(operator).* $(operator)_cuda.*) cudabind.*'
	$(PIP) install --quiet --target $(MMCV_FOLDER) $(MMCV_NEEDS)
	PYTHONPATH=$(MMCV_FOLDER) $(BIN)/python tests/force/mmcv/table.py --only "nms (manual),box_iou_quadri (manual),nms,roi_align,box_iou_quadri"

# a part of the tests with other releases of PyTorch, Python, setuptools and compilers, each combination in an environment of
# its own (20 minutes and 8 GB); writes the table of docs/supported-versions.md. It continues where it stopped.
# CELLS="torch-2.7.1 --again" chooses; `python -m tests.matrix --help`
CELLS ?=
matrix:
	$(PYTHON) -m tests.matrix $(CELLS)

# the site, in build/site/html; warnings are errors, and links are checked
docs: $(VENV)/.package
	$(PIP) install --quiet "mkdocs-material>=9.5" "mkdocstrings[python]>=0.26" jieba
	$(BIN)/python docs/site/build.py

# the files of a release, checked, in dist; it uploads nothing. ADDRESS=https://... is the public repository, TORCHES="2.13.0"
# the releases of PyTorch that get a wheel of torch-musa-sim
ADDRESS ?=
release: $(VENV)/.package
	$(PIP) install --quiet --no-build-isolation -e ".[release]"
	$(BIN)/python release/release.py $(if $(ADDRESS),--address $(ADDRESS)) $(TORCHES:%=--torch %)

lint: $(VENV)/.package
	$(BIN)/python -m ruff check --quiet .
	$(BIN)/python -m ruff format --quiet --check .
	$(BIN)/python -m mypy

env: $(VENV)/.backend
	@echo "ready: $(abspath $(BIN))/python has torch, musa-build and the simulated musa device"

$(VENV)/.tools:
	@echo "[1/3] creating $(VENV) and installing $(TORCH) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(call pip_install,"setuptools>=77" wheel numpy "$(TORCH)")
	@touch $@

$(VENV)/.package: $(VENV)/.tools $(foreach folder,. simulator tools tests,$(wildcard $(folder)/pyproject.toml $(folder)/setup.py $(folder)/*.pth))
	@echo "[2/3] installing musa-sim, musa-tools and musa-build ..."
	@$(call pip_install,--no-build-isolation -e ./simulator -e ./tools -e ".[dev]")
	@cp tests/less_collection.pth "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
	@touch $@

$(VENV)/.backend: $(VENV)/.package $(PACKAGE) $(BACKEND)
	@echo "[3/3] building torch_musa for the simulated SDK (some minutes the first time) ..."
	@$(call pip_install,--no-build-isolation --no-deps ./backend)
	@touch $@

# removes only what these rules made
clean:
	rm -rf $(VENV) build dist backend/build examples/freqencoder/build demo-output
