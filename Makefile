# Two commands do everything on a fresh Debian 12: make demo, make test. `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
JOBS ?= $(shell nproc)
STAMPS := build/stamps
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)

NATIVE_SOURCES := $(shell find core runtime fabric bench measure simulate include clusters python/bindings cmake -type f) CMakeLists.txt pyproject.toml
TEST_SOURCES := $(shell find tests -name '*.cpp' -o -name '*.hpp' -o -name '*.c' -o -name '*.f90' -o -name 'CMakeLists.txt')
CXX_FILES = $(shell git ls-files '*.cpp' '*.hpp' '*.c' '*.h')
SHELL_FILES := tools/*.sh .ci/run

.PHONY: help demo test test-core test-python test-runtime test-sanitize fuzz check format bench setup peers simgrid clean packages

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

demo: setup ## Set up, then run the main job on the lab: native against Trunkline, with a report
	trunkline demo --report out/demo.html --json out/demo.json

test: test-core test-runtime test-python test-sanitize ## Set up, then pass all the tests

setup: $(STAMPS)/native ## Debian packages, Python environment, MPI libraries, build

peers: setup ## What `trunkline bench peers` compares with besides: Intel MPI, LAM/MPI, PVM (brings an ssh server)
	tools/setup.sh peers
	rm -f $(STAMPS)/native
	$(MAKE) $(STAMPS)/native

simgrid: $(STAMPS)/python ## A newer SimGrid than Debian's for `trunkline simulate`, built from source
	tools/setup.sh simgrid
	rm -f $(STAMPS)/native
	$(MAKE) $(STAMPS)/native

packages:
	@[ -n "$${SKIP_PACKAGES:-}" ] || tools/setup.sh packages

$(STAMPS)/python: tools/requirements.txt tools/setup.sh | packages
	@tools/setup.sh python
	@mkdir -p $(@D) && touch $@

$(STAMPS)/mpis: tools/mpis.txt tools/setup.sh | packages
	@tools/setup.sh mpis
	@mkdir -p $(@D) && touch $@

# One build folder serves the installed package and the tests: what is compiled for one is not compiled again.
$(STAMPS)/native: $(NATIVE_SOURCES) $(STAMPS)/python $(STAMPS)/mpis | packages
	@printf '\033[1m==> Building\033[0m\n'
	@pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable . \
	  --config-settings build-dir=build/dev --config-settings cmake.define.TRUNKLINE_WERROR=ON
	@mkdir -p $(@D) && touch $@

$(STAMPS)/dev: $(STAMPS)/native $(TEST_SOURCES)
	@printf '\033[1m==> Building the tests\033[0m\n'
	@cmake -S . -B build/dev -DTRUNKLINE_TESTS=ON >build/dev-configure.log || { cat build/dev-configure.log; exit 1; }
	@cmake --build build/dev -- --quiet
	@mkdir -p $(@D) && touch $@

$(STAMPS)/sanitize: $(NATIVE_SOURCES) $(TEST_SOURCES) $(STAMPS)/python $(STAMPS)/mpis | packages
	@printf '\033[1m==> Building with sanitizers\033[0m\n'
	@cmake --preset sanitize >build/sanitize-configure.log || { cat build/sanitize-configure.log; exit 1; }
	@cmake --build --preset sanitize -- --quiet
	@mkdir -p $(@D) && touch $@

test-core: $(STAMPS)/dev ## Unit and property tests of the core and the lab's network
	ctest --test-dir build/dev --output-on-failure --parallel $(JOBS)

test-python: $(STAMPS)/native ## The command, the lab, real MPI programs on 32 emulated hosts
	python -m pytest tests/python tests/lab

test-runtime: $(STAMPS)/native $(STAMPS)/dev ## The preload library under both MPIs on one host
	python -m pytest tests/runtime

test-sanitize: $(STAMPS)/sanitize ## The core's tests under AddressSanitizer and UndefinedBehaviorSanitizer
	ctest --preset sanitize --parallel $(JOBS)

fuzz: $(STAMPS)/python ## Fuzz what reads files, SECONDS each (default 60)
	cmake --preset fuzz && cmake --build --preset fuzz
	tests/fuzz/run.sh build/fuzz $${SECONDS_EACH:-60}

check: $(STAMPS)/dev $(STAMPS)/native ## Format, lint and types, as the pre-commit hook runs them
	pre-commit run --all-files
	run-clang-tidy-14 -quiet -p build/dev -j $(JOBS) '^(?!.*/tests/).*/(core|fabric|runtime|measure|simulate)/.*\.cpp$$'

format: $(STAMPS)/python ## Format everything
	clang-format-14 -i $(CXX_FILES)
	ruff format python tests
	ruff check --fix python tests

bench: setup ## The figures of the README: every cluster, both MPIs (long)
	tools/bench.sh out

clean: ## Remove everything that was built
	rm -rf build out .venv .mpi .simgrid
