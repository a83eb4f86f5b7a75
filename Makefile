# Every target does its own set-up: `make run` and `make test` are all that a fresh machine needs.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV   ?= .venv
VAULT  ?= sample_vault
PORT   ?=
NOTES  ?= 10000
COUNT  ?= 40
SLOW   := slow or browser or node
# One more than there are processors: many tests wait for a process, a browser or a disk.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
MCPB   ?= npx --yes @anthropic-ai/mcpb@2
VSCE   ?= npx --yes @vscode/vsce@3
BIN    := $(VENV)/bin
# The last two have the types of what the scripts import.
PAGE_TOOLS := $(addsuffix /node_modules/.installed,tools/page zkmem/serve/page/vendor packaging/vscode)

.PHONY: run test test-slow test-all coverage mutants check check-code check-page types fmt docs conformance bundle vendor mcpb vscode \
	bench bench-growth bench-peers bench-page bench-load clean help

run: export ZKMEM_VAULT = $(or $(value VAULT),sample_vault)
run: $(VENV)/.run ## serve VAULT over HTTP, on PORT (default: the setting, else 13809)
	@# Ctrl-C is the way to end it: no error
	@trap : INT; $(BIN)/zkmem serve --mode http $(if $(PORT),--port $(PORT)) || { code=$$?; [ $$code = 130 ] || exit $$code; }

# The tests start some hundred processes, each of which would compile zkmem anew.
test test-slow coverage: export PYTHONDONTWRITEBYTECODE =

test: $(VENV)/.dev ## run the tests, without the slowest and those that need a browser or npm
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m 'not ($(SLOW))'

test-all: test test-slow ## run all tests: those of `make test`, then the others

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations 25 -m '$(SLOW)'

coverage: $(VENV)/.dev ## run the tests of `make test`, and fail if they reach too few lines of the code
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist worksteal -m 'not ($(SLOW))'
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

mutants: $(VENV)/.dev ## change the code at COUNT places, one after the other, and list the changes that no test notices
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mutants]'
	$(BIN)/python -m tests.tools.mutants $(COUNT)

check: check-page check-code ## lint, types, import contracts; the page's scripts, too, if node is installed

check-code: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(MAKE) --no-print-directory -j 3 types types-win32 types-darwin

types: $(VENV)/.dev
	$(BIN)/mypy

types-%: $(VENV)/.dev # each with a cache of its own: they run at the same time
	$(BIN)/mypy -p zkmem --platform $* --cache-dir .mypy_cache/$*

check-page:
	@if command -v npm > /dev/null; then $(MAKE) -s --no-print-directory $(PAGE_TOOLS) && npm run --silent --prefix tools/page check; \
	else echo "npm is not installed: the scripts of the page are not checked"; fi

fmt: $(VENV)/.dev ## format the code; the page's scripts, too, if node is installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	if command -v npm > /dev/null; then $(MAKE) -s --no-print-directory $(PAGE_TOOLS) && npm run --silent --prefix tools/page fmt; fi

docs: $(VENV)/.dev ## update the documents: the generated parts, and the answers of commands
	$(BIN)/python -m tests.tools.reference
	$(BIN)/python -m tests.tools.api_answers
	$(BIN)/python -m tests.tools.page_types
	$(BIN)/python -m tests.tools.sent_tools
	$(BIN)/python -m tests.tools.pictures
	$(BIN)/python -m tests.tools.exchanges
	$(BIN)/python -m tests.tools.transcripts

conformance: $(VENV)/.dev ## run the protocol's official test suite, for both versions of the protocol
	$(BIN)/python -m tests.conformance

bench: $(VENV)/.dev ## measure on a made vault of NOTES notes, with floors; the results go to benchmarks/
	$(BIN)/python -m benchmarks.measure --notes $(NOTES) --save

bench-growth: $(VENV)/.dev ## measure with 1,000, 10,000 and 100,000 notes, and draw a picture
	$(BIN)/python -m benchmarks.measure --notes 1000 10000 100000 --runs 3 --rows starts calls search --save

bench-peers: $(VENV)/.dev ## measure other servers, too; they are installed in benchmarks/.peers
	$(BIN)/python -m benchmarks.peers --notes $(NOTES) --save

bench-page: $(VENV)/.dev ## measure the page in Chromium: the first view, and the map while it moves
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[browser]'
	$(BIN)/python -m benchmarks.page --notes $(NOTES)

bench-load: $(VENV)/.dev ## measure 50 clients on an HTTP server for minutes, and how greedy callers slow others
	$(BIN)/python -m benchmarks.load
	$(BIN)/python -m benchmarks.crowd

bundle: zkmem/serve/page/vendor/node_modules/.installed ## bundle the page's own scripts again, after a change of them (needs node)
	node zkmem/serve/page/vendor/bundle.mjs

vendor: ## bundle the page's third-party scripts again, at the versions of package-lock.json (needs node)
	cd zkmem/serve/page/vendor && npm ci --ignore-scripts --no-audit --no-fund && npm run --silent build

mcpb: ## make dist/zkmem.mcpb, a bundle for Claude Desktop (needs npx)
	rm -rf build/mcpb
	mkdir -p build/mcpb dist
	cp -R zkmem pyproject.toml README.md LICENSE packaging/mcpb/manifest.json build/mcpb
	find build/mcpb \( -name __pycache__ -o -name node_modules \) -type d -prune -exec rm -rf {} +
	$(MCPB) validate build/mcpb/manifest.json
	$(MCPB) pack build/mcpb dist/zkmem.mcpb

vscode: ## make dist/zkmem.vsix, an extension for VS Code (needs npx)
	rm -rf build/vscode
	mkdir -p build/vscode dist
	cp LICENSE $(addprefix packaging/vscode/,README.md .vscodeignore extension.js package.json package-lock.json) build/vscode
	npm ci --silent --omit=dev --ignore-scripts --no-audit --no-fund --prefix build/vscode
	cd build/vscode && $(VSCE) package --out ../../dist/zkmem.vsix

clean: ## remove the environment
	rm -rf "$(VENV)"

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.DELETE_ON_ERROR: # a half-made environment: Debian has venv in a package of its own, and says so
$(BIN)/python:
	@test -n "$(PYTHON)" && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "zkmem needs Python 3.11 or newer: name one with PYTHON=" >&2; exit 1; }
	"$(PYTHON)" -m venv "$(VENV)"

%/node_modules/.installed: %/package-lock.json
	npm ci --silent --ignore-scripts --no-audit --no-fund --prefix $*
	@touch $@

$(VENV)/.run: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.run
