# Two commands, each doing all of its own set-up on a machine that has only Python (3.11 or newer) and make:
#   make demo   mode A on the bundled corpus, in a throwaway Chroma store
#   make test   the test suite
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo test lint types check schema conformance matrix clean

demo: $(VENV)/demo.stamp
	@$(BIN)/darnel demo

test: $(VENV)/dev.stamp
	$(BIN)/pytest -n auto --junitxml=.junit.xml

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/dev.stamp
	$(BIN)/mypy

check: lint types test

schema: $(VENV)/dev.stamp
	$(BIN)/python scripts/write_schema.py

conformance: $(VENV)/dev.stamp
	$(BIN)/python scripts/write_conformance.py

matrix: test
	$(BIN)/python scripts/conformance_matrix.py .junit.xml

clean:
	rm -rf $(VENV) dist build .junit.xml

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "darnel needs Python 3.11 or newer; run: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[demo]'
	@touch $@

$(VENV)/dev.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@
