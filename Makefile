# What CI calls and what you call are the same targets. `make` alone lists them.

VENV ?= .venv
BIN := $(VENV)/bin
# Another interpreter for the environment: make setup PYTHON=python3.13
PYTHON ?=
# Installs are made from these versions; `make lock` writes the file anew.
CONSTRAINTS := constraints.txt
# Worlds of a module are compiled once where its tests run one after the other in one process.
PYTEST := $(BIN)/pytest -q -n auto --dist worksteal
OTHERS := browser or conformance or trainers or official
PYTEST_ARGS ?=
BENCH_ARGS ?=
CONFORMANCE_ARGS ?=

BASE := $(VENV)/.base-installed
DEV := $(VENV)/.dev-installed

.DEFAULT_GOAL := help
.SUFFIXES:
.PHONY: help setup demo check prove test test-slow test-all test-browser test-official test-trainers conformance emit recordings pictures docs format bench lock clean

help: ## what there is to make
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name about; do printf '  make %-12s %s\n' "$$name" "$$about"; done

setup: $(DEV) ## an environment with everything in it, under .venv

demo: $(BASE) ## compile, launch, call: see it work
	@$(BIN)/envscaler demo

check: $(DEV) ## style, types, layers, and that generated files are what would be generated
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo > $(VENV)/lint-imports.txt || { cat $(VENV)/lint-imports.txt; exit 1; }
	@$(BIN)/envscaler build --all --check
	@$(BIN)/envscaler stats --similarity > $(VENV)/similarity.txt || { cat $(VENV)/similarity.txt; exit 1; }
	@$(BIN)/envscaler schemas --check
	@$(BIN)/python docs/generate.py --check
	@echo "check: everything is as it should be"

prove: $(DEV) ## prove every task that lies in generated_servers again
	@$(BIN)/envscaler prove --all

# The tests start hundreds of processes, each of which would otherwise compile the package anew.
test test-slow: export PYTHONDONTWRITEBYTECODE :=

test: $(DEV) ## the tests, without the slow ones
	@$(PYTEST) -p tests.fewer_examples -m "not slow and not ($(OTHERS))" $(PYTEST_ARGS)

test-slow: $(DEV) ## the slow tests, and the properties with all their examples
	@$(PYTEST) -m "(slow or hypothesis) and not ($(OTHERS))" $(PYTEST_ARGS)

test-all: test test-slow ## all tests that need nothing but Python

test-browser: $(DEV) ## the studio and the page of a run in a headless Chromium; needs one
	@$(BIN)/pytest -q -m browser tests/viewer tests/studio tests/benchmarks $(PYTEST_ARGS)

test-official: $(DEV) ## the benchmarks of other authors whose files are here, played and compared with their own runners
	@$(BIN)/pytest -q -m official tests/official $(PYTEST_ARGS)

test-trainers: $(DEV) ## the adapters with the real trainers; installs some gigabytes of packages the first time
	@$(BIN)/pytest -q -m trainers tests/trainers tests/rl $(PYTEST_ARGS)

conformance: $(DEV) ## other people's MCP clients and suites; needs Node
	@$(BIN)/pytest -q -m conformance tests/conformance tests/emit_bundle $(CONFORMANCE_ARGS)

emit: $(BASE) ## write generated_servers/ and registry.json anew
	@$(BIN)/envscaler build --all

recordings: $(DEV) ## record the runs with a model anew, after prompts or the manual changed
	@$(BIN)/python -m tests.recordings.record

pictures: $(DEV) ## take the pictures of the README and the docs anew, in a real browser
	@$(BIN)/python -m tests.studio.pictures

docs: $(BASE) ## write the generated pages anew
	@$(BIN)/envscaler schemas
	@$(BIN)/python docs/generate.py

format: $(DEV) ## let ruff mend what it can
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .

bench: $(DEV) ## measure the budgets
	@$(BIN)/python benchmarks/run.py $(BENCH_ARGS)

lock: $(DEV) ## write constraints.txt from what is installed in .venv
	@$(BIN)/python -m pip freeze --exclude-editable --disable-pip-version-check | LC_ALL=C sort -f > $(CONSTRAINTS).new
	@! grep -n '@\|/' $(CONSTRAINTS).new || { echo "lock: these come from a path, not from a registry" >&2; rm $(CONSTRAINTS).new; exit 1; }
	@{ echo "# Versions everything was tested with; made by: make lock"; cat $(CONSTRAINTS).new; } > $(CONSTRAINTS)
	@rm $(CONSTRAINTS).new

clean: ## remove the environment and everything that tools left behind
	@rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BASE): pyproject.toml $(CONSTRAINTS)
	@tools/setup "$(VENV)" "$(CONSTRAINTS)" . "$(PYTHON)"
	@touch $@

$(DEV): pyproject.toml $(CONSTRAINTS)
	@tools/setup "$(VENV)" "$(CONSTRAINTS)" ".[dev]" "$(PYTHON)"
	@touch $(BASE) $@

.PHONY: conformance-suite conformance-inspector conformance-typescript

conformance-suite: $(DEV) ## the official MCP conformance suite only
	@$(BIN)/pytest -q tests/conformance/test_official_suite.py $(CONFORMANCE_ARGS)

conformance-inspector: $(DEV) ## the MCP Inspector only
	@$(BIN)/pytest -q tests/conformance/test_inspector.py $(CONFORMANCE_ARGS)

conformance-typescript: $(DEV) ## the official TypeScript clients only
	@$(BIN)/pytest -q tests/conformance/test_typescript_clients.py $(CONFORMANCE_ARGS)
