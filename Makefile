# Every target does its own set-up: `make run` and `make test` are all that a fresh machine needs.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV   ?= .venv
VAULT  ?= sample_vault
PORT   ?=
BIN    := $(VENV)/bin

.PHONY: run test check fmt bench clean

run: export ZKMEM_VAULT = $(or $(value VAULT),sample_vault)
run: $(VENV)/.run ## serve VAULT over HTTP, on PORT (default: as configured, else 13809)
	$(BIN)/zkmem serve --mode http $(if $(PORT),--port $(PORT))

test: $(VENV)/.dev ## run the tests
	$(BIN)/python -m pytest

check: $(VENV)/.dev ## lint, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fmt: $(VENV)/.dev ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev ## measure on a made vault of 10,000 notes
	$(BIN)/python benchmarks/measure.py

clean: ## remove the environment
	rm -rf "$(VENV)"

$(BIN)/python:
	@test -n "$(PYTHON)" && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "zkmem needs Python 3.11 or newer: name one with PYTHON=" >&2; exit 1; }
	"$(PYTHON)" -m venv "$(VENV)"

$(VENV)/.run: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.run
