# Two commands do all set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test soak clocks bench check format env clean

env: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "card-arena needs Python 3.11 or newer; this is %s. Type: make PYTHON=python3.12 ..." % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: env ## a sample league over all games, and its leaderboards
	$(BIN)/python sample_bots/demo.py

test: env ## the whole test suite
	$(BIN)/python -m pytest --numprocesses auto

soak: env ## two leagues under 500 kills: minutes to half an hour; SOAK="--tables 200 --kills 30 --ends 20" is shorter
	$(BIN)/python -m tests.soak $(SOAK)

clocks: env ## 100,000 answers at 0.9 of a limit, twice: twenty minutes of an idle machine; ANSWERS=10000 is shorter
	ARENA_ANSWERS=$(or $(ANSWERS),100000) $(BIN)/python -m pytest -n 0 tests/test_fair_clocks.py

bench: env ## every benchmark, into benchmarks/latest.md and the README: a quarter of an hour of an idle machine; BENCH=--brief is minutes
	$(BIN)/python -m benchmarks $(BENCH)

check: env ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest --quiet tests/test_architecture.py

format: env ## rewrite the sources in house style
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
