# LibriScribe2. `make demo` replays a recorded book, `make test` runs the tests; both set up first.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTHONS := python3 python3.14 python3.13 python3.12 python3.11 python
PYTHON := $(firstword $(foreach p,$(PYTHONS),$(shell command -v $(p) >/dev/null 2>&1 && $(p) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(p))))

# Nothing but packages is downloaded: no Python builds.
export UV_PYTHON_DOWNLOADS := never
export UV_PROJECT_ENVIRONMENT := $(VENV)

# Without compiled files every program that a test starts would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test slow soak browser postgres lowest newest check static format types lint contracts coverage bench words house checklist fuzz mutants docs docs-site pictures sample examples clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 14

setup: $(READY) ## Prepare .venv from uv.lock

$(READY): uv.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found." >&2; exit 1; }
	@if command -v uv >/dev/null 2>&1; then uv=uv; else \
	  $(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV); \
	  test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet uv; \
	  uv=$(BIN)/uv; fi; \
	$$uv sync --quiet --frozen --inexact --all-extras --compile-bytecode --python $(PYTHON)
	@touch $@

demo: $(READY) ## Replay a recorded novel without a key, and say where it is
	@$(BIN)/libriscribe2 demo
	@command -v libriscribe2 >/dev/null || echo 'To type libriscribe2 alone: export PATH="$(CURDIR)/$(BIN):$$PATH"'

test: $(READY) ## Run the tests (offline)
	$(BIN)/pytest -n auto --dist loadfile

slow: $(READY) ## Run the tests that start several programs, draw pages, read megabytes or write several books
	$(BIN)/pytest -n auto --dist loadfile -m "slow and not soak and not postgres"

soak: $(READY) ## Run the long tests
	$(BIN)/pytest -n auto -m soak

browser: $(READY) ## Run the tests in Chromium
	$(BIN)/pytest -m browser tests/browser

postgres: $(READY) ## Run the tests against a PostgreSQL server of their own
	$(BIN)/pytest -n auto --dist loadfile -m "postgres and not soak"

QUICK := tests/flow/test_create_offline.py tests/flow/test_export.py tests/flow/test_view.py tests/flow/test_root_command.py tests/flow/test_wrong_command_lines.py tests/flow/test_sources_given.py tests/flow/test_real_http.py tests/unit/exporters tests/unit/documents tests/unit/desk tests/unit/settings tests/unit/cli

lowest: RESOLUTION := lowest-direct
newest: RESOLUTION := highest
lowest: $(READY) ## Run quick tests on the lowest version of every dependency
newest: $(READY) ## The same on the newest, whatever uv.lock says
lowest newest:
	@uv=$$(command -v uv || echo $(BIN)/uv); $$uv venv --quiet --allow-existing --python $(PYTHON) .venv-$@ && \
	  $$uv pip install --quiet --upgrade --python .venv-$@/bin/python --resolution $(RESOLUTION) -e ".[all]" --group dev
	.venv-$@/bin/pytest -n auto --dist loadfile $(QUICK)

check: static test slow ## All that has to be green: format, lint, types, contracts, tests

static: format lint types contracts ## Everything of `check` but the tests

format: $(READY)
	$(BIN)/ruff format --check

lint: $(READY)
	$(BIN)/ruff check

types: $(READY)
	$(BIN)/mypy

contracts: $(READY)
	$(BIN)/lint-imports

coverage: $(READY) ## Tests with branch coverage; fails under the bar of pyproject.toml
	$(BIN)/pytest -n auto --dist loadfile -m "not live and not soak and not browser and not postgres" --cov --cov-report=term-missing:skip-covered

bench: $(READY) ## Measure; figures belong into bench/README.md
	$(BIN)/python -m bench

FUZZ_SECONDS ?= 600

fuzz: $(READY) ## Fuzz the readers of replies; uv brings atheris for the run
	@mkdir -p .fuzz
	PYTHONPATH=. $$(command -v uv || echo $(BIN)/uv) run --no-sync --with atheris python tests/fuzz/fuzz_replies.py -max_total_time=$(FUZZ_SECONDS) -max_len=1500 -timeout=20 .fuzz tests/fuzz/corpus

words: $(READY) ## Collect all words that a user sees in words.txt, for reading
	PYTHONPATH=. $(BIN)/python -m bench.words

house: $(READY) ## Print how far a command's road is; fails where it is too long
	$(BIN)/python -m bench.house

checklist: $(READY) ## Print the acceptance list with its tests and what only these reach; fails on an item without one
	$(BIN)/python tests/docs/checklist.py $(if $(JUNIT),--junit $(JUNIT))

mutants: $(READY) ## Plant bugs in a copy of the program; the reliability bars must catch each
	PYTHONPATH=. $(BIN)/python -m tests.reliability.mutants

docs: $(READY) ## Write the pages of docs/ that are made from the code
	PYTHONPATH=. $(BIN)/python tests/docs/reference_pages.py

pictures: $(READY) ## Make the pictures of the README anew; needs Chromium
	$(BIN)/python docs/pictures/make.py

docs-site: docs ## Build the documentation as a site in site/; once installed, without a network
	@test -x $(BIN)/zensical || { uv=$$(command -v uv || echo $(BIN)/uv); $$uv sync --quiet --frozen --inexact --all-extras --group docs; }
	$(BIN)/zensical build --strict --clean

# Its title page says who wrote it; the recording was begun with a name that stands for none.
sample: ## Pack the recording that `demo` replays, after it was renewed
	sed 's/^  "author": "A. Writer"/  "author": "A language model"/' tests/recorded/skarra.json \
	  | gzip -9nc > src/libriscribe2/commands/samples/skarra.json.gz

examples: $(READY) ## Make the sample books anew from their recordings
	examples/make.sh

clean: ## Remove the environment and every cache
	rm -rf $(VENV) .venv-lowest .venv-newest .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage*
