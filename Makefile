# Two commands matter: `make learn` and `make test`. Each makes .venv and installs what it needs when that is missing.
# docs/installing.md has the same commands without make.

VENV ?= .venv
ARGS ?=
# Number of test processes: conftest.py says what "logical" is. The cells of one notebook run in the same process.
WORKERS ?= logical
PROGRAMS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := $(VENV)/$(PROGRAMS)
VENV_PYTHON := $(BIN)/python

# A stamp file for each installation; it is older than pyproject.toml when the dependencies have changed.
MADE := $(VENV)/.made
INSTALLED := $(VENV)/.installed
INSTALLED_TEST := $(VENV)/.installed-test
INSTALLED_SITE := $(VENV)/.installed-site

# The libraries of the benchmarks have separate environments, because two versions of one library are compared.
BENCH := .venv-bench
BENCH_NEXT := .venv-bench-next

.DEFAULT_GOAL := help
.PHONY: help learn test test-slow test-pythons quick install format check notebooks site bench bench-quick bench-scale wheel clean

help:  ## list the targets
	@echo "make learn      install, copy the lessons to minbpe_course_lessons, open JupyterLab on the first one"
	@echo "                (options: make learn ARGS=\"--no-browser --port 9000\")"
	@echo "make test       install the test tools and run the tests, including every lesson under nbval"
	@echo "make test-slow  run what takes long: browsers, programs that are killed, all sandboxes, the wheel, each cell of"
	@echo "                a lesson twice, ten times the random examples, and the core with the other Pythons found here"
	@echo "make quick      check a small change in less than a minute: ruff, and the tests that are small"
	@echo "make install    only make $(VENV) and install the package into it"
	@echo "make format     format the code"
	@echo "make check      run ruff, mypy and the budgets of the lessons"
	@echo "make notebooks  execute every lesson and store the outputs"
	@echo "make site       build the course as a site into build/site (lessons, playground, reference), without a network"
	@echo "make bench      compare with tiktoken, tokenizers, rustbpe and others; writes benchmarks/results.md"
	@echo "                (one part: make bench ARGS=\"--only decode\"; list the parts: ARGS=--list)"
	@echo "make bench-quick  the same on less text, under three minutes"
	@echo "make bench-scale  measure a gigabyte and extrapolate to 10 TB: downloads 600 MB; writes benchmarks/scale.md"
	@echo "make wheel      build the wheel and the source archive into dist/"
	@echo "make clean      remove $(VENV), the environments of the benchmarks and all build results"
	@echo "Another Python: make learn PYTHON=/path/to/python3.12 (3.10 or newer)"

learn: $(INSTALLED)  ## open the lessons
	@$(VENV_PYTHON) -m minbpe_course learn $(ARGS)

PYTEST := $(VENV_PYTHON) -m pytest -n $(WORKERS) --maxprocesses 4 --dist loadfile --no-loadscope-reorder

test: $(INSTALLED_TEST)  ## run the tests
	$(PYTEST) --nbval --nbval-current-env -m "not slow and not browser" $(ARGS)

# Every Hypothesis test is marked "hypothesis", and conftest.py marks the lessons "slow".
test-slow: export MINBPE_COURSE_LONG_TESTS = 1
test-slow: $(INSTALLED_TEST)  ## run the tests that take long
	$(PYTEST) --nbval --nbval-current-env -m "slow or browser or hypothesis" $(ARGS)
	$(MAKE) --no-print-directory test-pythons MINBPE_COURSE_LONG_TESTS=

test-pythons: $(INSTALLED_TEST)  ## run the tests of the core with the other Pythons of this machine
	$(VENV_PYTHON) -m tools.other_pythons

quick: $(INSTALLED_TEST)  ## check a small change, in less than a minute
	$(VENV_PYTHON) -m ruff check .
	$(PYTEST) -q -p no:nbval \
	  -m "not medium and not slow and not browser and not cluster and not sandbox" tests minbpe_course/reference minbpe_course/text $(ARGS)

install: $(INSTALLED)  ## install the package

format: $(INSTALLED_TEST)  ## format the code
	$(VENV_PYTHON) -m ruff format .
	$(VENV_PYTHON) -m ruff check --fix .

check: $(INSTALLED_TEST)  ## run ruff, mypy and the budgets of the lessons
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m mypy
	$(VENV_PYTHON) -m tools.notebooks check

notebooks: $(INSTALLED_TEST)  ## execute the lessons again
	$(VENV_PYTHON) -m tools.notebooks run

site: $(INSTALLED_SITE)  ## build the site
	$(VENV_PYTHON) -m tools.course_site $(ARGS)

bench: $(BENCH)/.installed-bench $(BENCH_NEXT)/.installed-bench  ## compare with other libraries, everything
	@$(BENCH)/$(PROGRAMS)/python -m benchmarks $(ARGS)

bench-quick: $(BENCH)/.installed-bench $(BENCH_NEXT)/.installed-bench  ## compare with other libraries, in three minutes
	@$(BENCH)/$(PROGRAMS)/python -m benchmarks --quick $(ARGS)

bench-scale: $(BENCH)/.installed-bench  ## slopes on a gigabyte of real text, and a plan for 10 TB
	@$(BENCH)/$(PROGRAMS)/python -m benchmarks.scale $(ARGS)

wheel: $(INSTALLED_TEST)  ## build dist/
	$(VENV_PYTHON) -m build

clean:  ## start again
	rm -rf $(VENV) $(BENCH) $(BENCH_NEXT) build dist

# PYTHON=... wins; otherwise the first of these that is new enough.
$(MADE):
	@found=""; \
	for candidate in $(if $(PYTHON),"$(PYTHON)",python3 python3.13 python3.12 python3.11 python3.10 python); do \
	  if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; then found="$$candidate"; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "make: no Python 3.10 or newer found$(if $(PYTHON), at $(PYTHON)). Install one from python.org, or name it:" >&2; \
	  echo "      make learn PYTHON=/path/to/python3.12" >&2; \
	  exit 1; \
	fi; \
	echo "making $(VENV) with $$("$$found" --version)"; \
	if ! "$$found" -m venv $(VENV); then \
	  echo "make: this Python cannot make environments. On Debian and Ubuntu: apt install python3-venv" >&2; \
	  exit 1; \
	fi
	@touch $@

$(INSTALLED): pyproject.toml | $(MADE)
	@echo "installing the course into $(VENV) (about 750 MB the first time)"
	@$(VENV_PYTHON) -m pip install --disable-pip-version-check --quiet -e ".[course]"
	@touch $@

$(INSTALLED_TEST): pyproject.toml | $(MADE)
	@echo "installing the course and its test tools into $(VENV)"
	@$(VENV_PYTHON) -m pip install --disable-pip-version-check --quiet -e ".[test]"
	@touch $(INSTALLED) $@

$(INSTALLED_SITE): pyproject.toml | $(MADE)
	@echo "installing the course and what builds its site into $(VENV)"
	@$(VENV_PYTHON) -m pip install --disable-pip-version-check --quiet -e ".[site]"
	@touch $(INSTALLED) $@

$(BENCH)/.installed-bench: REQUIREMENTS := benchmarks/requirements.txt
$(BENCH_NEXT)/.installed-bench: REQUIREMENTS := benchmarks/requirements-next.txt
$(BENCH)/.installed-bench: benchmarks/requirements.txt
$(BENCH_NEXT)/.installed-bench: benchmarks/requirements-next.txt

# One line at a time and without compiling: a library without a wheel for this machine is missing in the results, with
# a reason.
$(BENCH)/.installed-bench $(BENCH_NEXT)/.installed-bench: pyproject.toml
	@$(MAKE) --no-print-directory VENV=$(@D) install
	@grep -v '^#' $(REQUIREMENTS) | while read -r line; do \
	  $(@D)/$(PROGRAMS)/python -m pip install --disable-pip-version-check --quiet --only-binary :all: "$$line" \
	    || echo "not available here: $$line"; \
	done
	@touch $@
