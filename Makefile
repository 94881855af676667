# Two commands do everything on a fresh Debian 12: make demo, make test. `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
JOBS ?= $(shell nproc)
# Most of what runs under MPI waits: for late ranks, for silent ones, for each other.
RUNTIME_JOBS ?= $(shell echo $$(($(JOBS) + 2)))
# They wait most of the time.
MEASURES_JOBS ?= $(shell echo $$(($(JOBS) + 1)))
STAMPS := build/stamps
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)

NATIVE_SOURCES := $(shell find core runtime chooser slurm fabric bench copy examples measure simulate include clusters python/bindings cmake licenses third_party -type f) CMakeLists.txt pyproject.toml
TEST_SOURCES := $(shell find tests -name '*.cpp' -o -name '*.hpp' -o -name '*.c' -o -name '*.f90' -o -name 'CMakeLists.txt')
CXX_FILES = $(shell git ls-files '*.cpp' '*.hpp' '*.c' '*.h' ':!third_party')
SHELL_FILES := tools/*.sh .ci/run

.PHONY: help demo dist test-install deb deb-again test-deb test test-all test-core test-python test-lab test-measures test-runtime test-sanitize test-seeded fuzz check format model setup simgrid torch clean packages packages-demo docs
.NOTPARALLEL:  # each step uses all processors by itself

# The demo needs less than the rest: fewer packages, no MPI libraries of our own, half of the programs. Where all of it
# has been built, the demo keeps it.
DEMO_NEEDS := $(if $(wildcard $(STAMPS)/native),$(STAMPS)/native,$(STAMPS)/demo)

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

demo: $(DEMO_NEEDS) ## Set up what it needs, then run the main job on the lab: native against Trunkline, with a report
	trunkline demo --report out/demo.html --json out/demo.json

test: packages $(STAMPS)/dev ## Set up, then pass the tests that each change waits for: under one MPI library, by turns, or MPI=NAME
	tools/beside.py \
	  runtime "$(or $(MPI),one MPI library by turn), this host" "$(RUNTIME_TESTS) $(CHANGE) --mpi $(or $(MPI),by-turn) --most-starts $(MOST_STARTS)" beside \
	  lab "emulated hosts" "$(call LAB_TESTS,lab) $(CHANGE)" beside \
	  core "build/dev" "nice $(CORE_TESTS)" \
	  python "the command" "nice $(PYTHON_TESTS) $(CHANGE)" \
	  verdicts "papers" "nice $(VERDICT_TESTS)"

# What is compared with a clock comes first, and alone. A lane that fails keeps no other from running. Builds
# come before all lanes: beside those of a higher priority they take four times as long.
test-all: packages $(STAMPS)/dev $(STAMPS)/sanitize ## Pass all tests, and tell in one table what ran and what did not (about an hour)
	tools/beside.py \
	  measures "emulated hosts, alone" "$(call LAB_TESTS,measures) -n $(MEASURES_JOBS) -m measures" then \
	  runtime "all MPI libraries, this host" "$(RUNTIME_TESTS) --mpi all" beside \
	  lab "emulated hosts" "$(call LAB_TESTS,lab) -m 'not measures'" \
	  install "an empty environment" "$(MAKE) --no-print-directory test-install" beside \
	  core "build/dev" "nice $(CORE_TESTS)" \
	  sanitize "build/sanitize" "nice $(MAKE) --no-print-directory test-sanitize" \
	  python "the command" "nice $(PYTHON_TESTS)" \
	  verdicts "papers" "nice $(VERDICT_TESTS)" \
	  seeded "a million calls" "nice $(MAKE) --no-print-directory test-seeded" \
	  model "Spin" "nice $(MAKE) --no-print-directory model" \
	  fuzz "build/fuzz" "nice $(MAKE) --no-print-directory fuzz"

setup: packages $(STAMPS)/native ## Debian packages, Python environment, MPI libraries, build
	@cat build/dev/mpis.txt

simgrid: $(STAMPS)/python-dev ## A newer SimGrid than Debian's for `trunkline simulate`, built from source
	tools/setup.sh simgrid
	rm -f $(STAMPS)/native
	$(MAKE) $(STAMPS)/native

torch: setup ## Debian's PyTorch, for the tests and the example of trunkline.torch
	tools/setup.sh torch

packages-demo:
	@[ -n "$${SKIP_PACKAGES:-}" ] || tools/setup.sh packages-demo

packages:
	@[ -n "$${SKIP_PACKAGES:-}" ] || tools/setup.sh packages

$(STAMPS)/python: tools/requirements.txt tools/setup.sh | packages-demo
	@tools/setup.sh python
	@mkdir -p $(@D) && touch $@

$(STAMPS)/python-dev: tools/dev-requirements.txt $(STAMPS)/python
	@tools/setup.sh python-dev
	@mkdir -p $(@D) && touch $@

$(STAMPS)/mpis: tools/mpis.txt tools/setup.sh | packages
	@tools/setup.sh mpis
	@mkdir -p $(@D) && touch $@

# Changes where an MPI came or went, so that "run make setup again" finds it.
$(STAMPS)/mpis-seen: FORCE
	@mkdir -p $(@D)
	@{ type -ap mpicc.mpich mpicc.openmpi mpicc || true; echo "$${TRUNKLINE_MPICC-}"; } >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
FORCE:

# One build folder serves the installed package and the tests: what is compiled for one is not compiled again.
INSTALL = pip install --verbose --disable-pip-version-check --no-build-isolation --no-deps --editable . \
  --config-settings build-dir=build/dev --config-settings cmake.define.TRUNKLINE_WERROR=ON \
  --config-settings install.strip=false \
  --config-settings cmake.define.TRUNKLINE_EXTRAS=

$(STAMPS)/demo: $(NATIVE_SOURCES) $(STAMPS)/python $(STAMPS)/mpis-seen | packages-demo
	@tools/step.sh "Building what the demo needs (a minute and a half on two processors)" build/log/demo $(INSTALL)OFF
	@mkdir -p $(@D) && touch $@

$(STAMPS)/native: $(NATIVE_SOURCES) $(STAMPS)/python-dev $(STAMPS)/mpis $(STAMPS)/mpis-seen | packages
	@tools/step.sh "Building (three minutes on two processors)" build/log/native $(INSTALL)ON
	@cp build/dev/python/bindings/_core.pyi python/trunkline/  # for mypy and editors
	@mkdir -p $(@D) && touch $@

$(STAMPS)/dev: $(STAMPS)/native $(TEST_SOURCES)
	@tools/step.sh "Building the tests (under three minutes on two processors)" build/log/dev \
	  bash -c "cmake -S . -B build/dev -DTRUNKLINE_TESTS=ON && cmake --build build/dev"
	@mkdir -p $(@D) && touch $@

$(STAMPS)/sanitize: $(NATIVE_SOURCES) $(TEST_SOURCES) $(STAMPS)/python-dev | packages
	@tools/step.sh "Building with sanitizers (about a minute)" build/log/sanitize \
	  bash -c "cmake --preset sanitize && cmake --build --preset sanitize"
	@mkdir -p $(@D) && touch $@

# Each leaves its results where tools/beside.py counts them.
LOGS := $(CURDIR)/build/log
PYTEST := python -m pytest --dist worksteal
CORE_TESTS = ctest --test-dir build/dev --output-on-failure --parallel $(JOBS) --output-junit $(LOGS)/core.xml
PYTHON_TESTS = $(PYTEST) --durations=10 -n $(JOBS) --junit-xml=$(LOGS)/python.xml tests/python
# Pages of results are what verdicts on papers cite. Their other tests: papers-test.
VERDICT_TESTS = env PYTHONPATH=papers $(PYTEST) -n 0 --junit-xml=$(LOGS)/verdicts.xml papers/tests/python/test_verdicts.py
# CTest runs what is left out here, in the build that it is for.
RUNTIME_TESTS = $(PYTEST) --durations=15 -n $(RUNTIME_JOBS) --junit-xml=$(LOGS)/runtime.xml tests/runtime --ignore=tests/runtime/test_sanitized.py
LAB_TESTS = $(PYTEST) --durations=10 -n $(JOBS) --junit-xml=$(LOGS)/$(1).xml tests/lab
# What each change waits for. A job takes as long as hundreds of calls: cases are to share them.
CHANGE = --tier change
MOST_STARTS = 250

test-core: $(STAMPS)/dev ## Unit and property tests of the core and the lab's network
	$(CORE_TESTS)

test-python: $(STAMPS)/native ## The command
	$(PYTHON_TESTS)

test-runtime: $(STAMPS)/native $(STAMPS)/dev ## The preload library under all MPI libraries on one host, or under MPI=NAME
	$(RUNTIME_TESTS) --mpi $(or $(MPI),all)

test-lab: test-measures ## The lab, real MPI programs on 32 emulated hosts
	$(call LAB_TESTS,lab) -m 'not measures'

test-measures: $(STAMPS)/native $(STAMPS)/dev ## Those of the lab that say nothing beside other work
	$(call LAB_TESTS,measures) -n $(MEASURES_JOBS) -m measures

test-sanitize: $(STAMPS)/sanitize ## The core's tests under AddressSanitizer and UndefinedBehaviorSanitizer
	ctest --preset sanitize --parallel $(JOBS) --output-junit $(LOGS)/sanitize.xml

# Parts of 50 000 calls, each from a seed of its own.
SEED ?= 100
test-seeded: $(STAMPS)/dev ## A million calls of the executors under the seeded scheduler, from seed SEED on (default 100)
	seq $(SEED) $$(($(SEED) + 19)) | xargs -P $(JOBS) -I{} build/dev/tests/runtime/runtime-seeded --seed {} --calls 50000

fuzz: $(STAMPS)/python-dev ## Fuzz what reads files, SECONDS_EACH=60 seconds each
	cmake --preset fuzz && cmake --build --preset fuzz
	tests/fuzz/run.sh build/fuzz $${SECONDS_EACH:-60}

model: packages ## Spin searches the model of the multicast protocol, and finds each of its mutations
	nice tests/model/run.py

check: $(STAMPS)/native ## Format, lint and types, as the pre-commit hook runs them, and clang-tidy over everything
	pre-commit run --all-files
	JOBS=$(JOBS) tools/tidy.py

format: $(STAMPS)/python-dev ## Format everything
	clang-format-14 -i $(CXX_FILES)
	ruff format python papers tests tools
	ruff check --fix python papers tests tools

# The wheel is made from the sdist, so whatever that lacks is missed. It belongs to no MPI library.
dist: $(STAMPS)/python ## A wheel and an sdist, in dist/: preload libraries are built where they are installed
	rm -rf dist/*.whl dist/*.tar.gz build/dist
	python -c "from scikit_build_core.build import build_sdist; build_sdist('dist')"
	@tools/step.sh "Building the wheel (about a minute)" build/log/dist pip wheel --verbose --disable-pip-version-check \
	  --no-build-isolation --no-deps --wheel-dir dist --config-settings cmake.define.TRUNKLINE_RUNTIME=OFF \
	  --config-settings build-dir=build/dist dist/trunkline-*.tar.gz
	@ls -l dist

test-install: dist ## Wheel to job and back, from an empty environment; with ROOT=yes from an empty Debian root
	PYTHON=$(PYTHON) tools/test_install.sh $(if $(ROOT),--root) dist/*.whl

docs: $(STAMPS)/native ## The documents as a site that needs no network, in build/site; a dead link or a lonely page is an error
	tools/site/build.py

deb: ## Debian packages of this tree, in dist/, looked at by lintian
	@[ -n "$${SKIP_PACKAGES:-}" ] || tools/setup.sh packages-deb
	PYTHON=$(PYTHON) JOBS=$(JOBS) tools/make_deb.sh

test-deb: deb ## Those packages in an empty Debian root: installed, run, removed
	tools/test_install.sh --deb dist/*.deb

deb-again: deb ## Those packages built once more, elsewhere and by other rights, hour and language: the same to the byte
	PYTHON=$(PYTHON) JOBS=$(JOBS) tools/make_deb.sh --again

clean: ## Remove everything that was built
	rm -rf build dist out .venv .mpi .simgrid

# What repeats papers (papers/README.md): in no package, and not among the tests above.
.PHONY: papers papers-programs papers-test peers bench

papers: papers-programs ## Figures and tables of papers, in out/papers, and the verdicts on them (minutes; LAB=yes: hours, with what is measured)
	trunkline_papers figures --folder out/papers $(if $(filter yes,$(LAB)),,--without-lab)
	trunkline_papers verdicts --folder out/papers

papers-programs: $(STAMPS)/native ## The command trunkline_papers and its programs
	@pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable papers
	@tools/step.sh "Building the programs of papers (some seconds)" build/log/papers \
	  bash -c "cmake -S . -B build/dev -DTRUNKLINE_PAPERS=ON && cmake --build build/dev --target papers/all"

papers-test: $(STAMPS)/dev papers-programs ## Their tests
	cmake --build build/dev
	$(PYTEST) -n $(JOBS) papers/tests/python
	$(PYTEST) -n $(JOBS) papers/tests/runtime
	$(PYTEST) -n $(JOBS) papers/tests/lab

peers: setup ## What `trunkline_papers bench peers` and `multicast` compare with besides: Intel MPI, LAM/MPI, PVM, UFTP, udpcast, NORM (brings an ssh server)
	tools/setup.sh peers
	rm -f $(STAMPS)/native
	$(MAKE) papers-programs

bench: setup ## Broadcasts on six bundled clusters, both MPIs (two hours)
	papers/tools/bench.sh out
