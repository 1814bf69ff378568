# Everything sets itself up: a virtual environment in .venv and, on first use, the Pulumi engine.
SHELL := /bin/bash
.DELETE_ON_ERROR:
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed-$(shell cat pyproject.toml Makefile 2>/dev/null | cksum | cut -d' ' -f1)
PREFIX ?= $(HOME)/.local
EXTRAS ?= all
TOOL := $(PREFIX)/lib/gpuinfra
LINK := $(PREFIX)/bin/gpuinfra
PYTEST := $(BIN)/python -m pytest -q
unexport PYTHONDONTWRITEBYTECODE  # the suite starts thousands of interpreters: each would compile gpuinfra anew

.PHONY: help setup engine yaml actionlint quickstart install uninstall dist test quick coverage soak bench mutants lint format docs images recording golden transcripts digests clean

help: ## what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gpuinfra needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 …")'
	@echo "setting up .venv (about a minute; nothing outside this folder is changed)"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	@touch $@

setup: $(STAMP) ## the virtual environment

engine: setup ## the Pulumi engine: found, or installed once
	@$(BIN)/gpuinfra engine install

quickstart: engine ## the main job on stacks/quickstart, in the sandbox
	@$(BIN)/gpuinfra quickstart

install: ## gpuinfra on PATH, in PREFIX (~/.local), with the EXTRAS (all): a copy, apart from .venv
	@$(PYTHON) -m venv --clear "$(TOOL)"
	@"$(TOOL)/bin/python" -m pip install --quiet ".[$(EXTRAS)]"
	@mkdir -p "$(PREFIX)/bin" && ln -sf "$(TOOL)/bin/gpuinfra" "$(LINK)"
	@"$(LINK)" --version
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo 'now run: export PATH="$(PREFIX)/bin:$$PATH"';; esac

uninstall: ## what make install put there; your data and caches stay: docs/how-to/install.md
	@test ! -L "$(LINK)" || rm "$(LINK)"
	@rm -rf "$(TOOL)"

dist: setup ## the wheel and the source distribution, in dist/
	@$(BIN)/python -m hatchling build -d dist

actionlint: setup ## the linter of workflows, built once where there is Go; else its test is skipped
	@test -x $(BIN)/actionlint || ! command -v go >/dev/null || GOBIN=$(CURDIR)/$(BIN) \
		go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.7 || true

yaml: engine ## the host that runs Pulumi programs in YAML, built once where there is Go; else its tests are skipped
	@! command -v go >/dev/null || $(BIN)/gpuinfra engine install --yaml || true

# Three on two cores: a test of the engine often waits for processes. Those come first (tests/conftest.py).
test: yaml actionlint ## the whole suite, the engine's lifecycles included
	$(PYTEST) -n 3 --dist loadfile --no-loadscope-reorder -m "not soak" tests

quick: setup ## what is quick: no engine, no servers, no whole programs
	$(PYTEST) -n 2 --dist loadfile --timeout-method=signal -m "not soak and not e2e and not slow" tests

coverage: yaml ## branch coverage of the whole suite, child processes included: twice as long as make test
	@mkdir -p .venv/coverage && rm -f .venv/coverage/*
	-$(BIN)/python -m coverage run -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder -m "not soak" tests
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --sort=branch

soak: engine ## repeats
	$(PYTEST) -m soak tests

bench: engine ## ratios against a floor measured in the same run
	$(BIN)/python -m tests.benchmarks

mutants: setup ## each condition of each rule changed, and each declared input: something has to notice
	$(BIN)/python -m tests.mutants
	$(BIN)/python -m tests.mutants.declared

lint: setup ## linters, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests  # names and arguments that are gone: pyproject.toml
	@rm -rf .venv/programs && mkdir .venv/programs  # mypy takes one module named __main__ a run
	@for program in {policies,stacks}/*/__main__.py; do folder=$${program%/__main__.py}; \
		cp "$$program" ".venv/programs/$${folder//[^a-z]/_}.py"; done
	$(BIN)/mypy .venv/programs
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/codespell gpuinfra policies stacks docs README.md CHANGELOG.md

format: setup ## format and fix what can be fixed
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

golden: setup ## write the golden files anew; read the difference before committing it
	GPUINFRA_GOLDEN=update $(PYTEST) -m "not e2e and not soak" tests/components tests/clouds tests/provider

transcripts: yaml ## write the transcripts of README.md and docs/ anew, those of the sandbox too
	GPUINFRA_GOLDEN=update $(PYTEST) tests/readme

digests: setup ## list the digests of the shipped tables anew, after a change on purpose
	$(BIN)/python -m gpuinfra.clouds.digests

docs: setup ## write the generated pages anew, and the site into .venv/site
	GPUINFRA_CATALOG_HOME=.venv/none $(BIN)/gpuinfra catalog claims --format markdown > .venv/guides.md
	mv .venv/guides.md docs/guides.md
	GPUINFRA_CATALOG_HOME=.venv/none $(BIN)/python -m gpuinfra.cli.pages.chinese_guides > .venv/guides.md
	mv .venv/guides.md docs/zh/guides.md
	$(BIN)/gpuinfra catalog models --format markdown > .venv/models.md
	mv .venv/models.md docs/models.md
	$(BIN)/gpuinfra explain --format markdown > .venv/rules.md
	mv .venv/rules.md docs/rules.md
	GPUINFRA_CATALOG_HOME=.venv/none $(BIN)/gpuinfra explain --cloud aws --format markdown > .venv/aws.md
	mv .venv/aws.md docs/aws.md
	$(BIN)/gpuinfra explain --cloud all --format markdown > .venv/keys.md
	mv .venv/keys.md docs/keys.md
	$(BIN)/python -m gpuinfra.cli.pages.missing_prices > .venv/prices-by-region.md
	mv .venv/prices-by-region.md docs/prices-by-region.md
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --config-file docs/site/mkdocs.yml

images: setup ## write the pictures of docs/ anew: terminals, and the report where there is a Chromium
	GPUINFRA_CATALOG_HOME=.venv/none $(BIN)/python docs/site/images.py

recording: engine ## record docs/tour.cast anew: from quickstart to destroy, typed into a shell
	$(BIN)/python docs/site/recording.py

clean: ## remove the virtual environment and caches of this folder
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache
