# make demo    the main job on the bundled vectors and sample
# make test    the tests, with coverage
# make lint    ruff and mypy
# make docs    the documentation site, in site/
# make screenshots   of the report and the explorer, for the documentation (needs Chromium)
# make fuzz    hostile input to every reader, SECONDS (60) for each target, JOBS (1) at a time
# make crash   every call that touches an output met by a kill, an interrupt and a full disk, and
#              TIMES (500) kills and interrupts at random instants
# make soak    MINUTES (10) of predicting and encoding; fails if memory or threads grow
# make boundscheck   the tests of compiled code, with the bounds of arrays checked
# make bench   speed beside the peers, and docs/performance.md (installs them; not part of the tests)
# Each sets up what it needs in .venv.

PYTHON ?= python3
BIN := .venv/bin
BENCHMARKS := encode aggregate encoders fit quality memory dask_scaling dtype_loss read_vectors \
	convert_memory startup kdforest pq_kernel train classify train_scale search

# pip does not compile thousands of files that nobody imports; Python keeps what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint docs screenshots fuzz crash soak boundscheck bench clean

demo: .venv/installed
	$(BIN)/vlawe demo

test: .venv/installed-dev
	$(BIN)/python -m pytest --cov --cov-report=term \
		--numprocesses auto --maxprocesses 4 --dist worksteal $(PYTEST_OPTIONS)

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

screenshots: .venv/installed-dev
	$(BIN)/python tools/make_screenshots.py

# With atheris, for one target: .venv/bin/python fuzz/run.py --atheris --seconds 600 vectors
fuzz: .venv/installed-dev
	$(BIN)/python fuzz/run.py --seconds $(or $(SECONDS),60) --jobs $(or $(JOBS),1) \
		$(if $(SEED),--seed $(SEED)) $(TARGETS)

crash: export VLAWE_CRASHES := all
crash: export VLAWE_CRASHES_AT_RANDOM := $(or $(TIMES),500)
crash: .venv/installed-dev
	$(BIN)/python -m pytest -q -s tests/cli/test_crashes.py $(PYTEST_OPTIONS)

soak: .venv/installed-dev
	$(BIN)/python benchmarks/soak.py --minutes $(or $(MINUTES),10)

# What is compiled with checks is kept apart from what is compiled without.
boundscheck: export NUMBA_BOUNDSCHECK := 1
boundscheck: export NUMBA_CACHE_DIR := $(abspath .venv)/boundscheck
boundscheck: .venv/installed-dev
	$(BIN)/python -m pytest -q $(or $(TESTS),tests/tokenizer tests/vectors tests/codebook \
		tests/encoders tests/kernels tests/test_quantization.py tests/test_bags.py)

# Where the data sets are, unless VLAWE_DATA or the user's cache has them.
bench: export VLAWE_DATA ?= $(abspath $(wildcard ../shared/datasets))
bench: .venv/installed-bench
	set -e; for name in $(BENCHMARKS); do \
		$(BIN)/python benchmarks/$$name.py --json benchmarks/results/$$name.json; \
	done
	$(BIN)/python benchmarks/page.py
	$(BIN)/python tools/fill_readme.py

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --no-compile --editable .
	touch $@

.venv/installed-dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[dev]'
	touch $@ .venv/installed

.venv/installed-docs: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[docs]'
	touch $@

.venv/installed-bench: pyproject.toml benchmarks/requirements.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[dask,faiss,plot]' \
		--requirement benchmarks/requirements.txt
	touch $@

clean:
	rm -rf .venv site .coverage .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
