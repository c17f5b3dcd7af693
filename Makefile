# make run     start the workbench      make test    run the whole suite
# make thorough   run what `make test` leaves out: every measured kernel, compiled
# make check   format, lint, types and import contracts      make gallery   pictures of every view
# Variables: PYTHON (the interpreter of the environment), VENV (its folder), ARGS (passed on).

VENV ?= .venv
PYTHON ?= $(shell python3.11 -c "" 2>/dev/null && echo python3.11 || echo python3)
ARGS ?=

BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt
RUN_STAMP := $(VENV)/.installed-run
TEST_STAMP := $(VENV)/.installed-test
WANTED := pyproject.toml constraints.txt
# File by file, in the order of tests/conftest.py.
SHARED_OUT := -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: run test thorough check gallery bytecode compiler
.DELETE_ON_ERROR:

run: $(RUN_STAMP) compiler
	$(BIN)/python main.py $(ARGS)

test: $(TEST_STAMP) compiler bytecode
	$(BIN)/python -m pytest $(SHARED_OUT) $(ARGS)

thorough: $(TEST_STAMP) compiler bytecode
	$(BIN)/python -m pytest $(SHARED_OUT) -m thorough $(ARGS)

check: $(TEST_STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

gallery: $(RUN_STAMP)
	$(BIN)/python -m workbench.ui.gallery $(ARGS)

# pyvenv.cfg and not bin/python, whose time is that of the interpreter it links to.
$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "$(PYTHON) is missing or older than Python 3.11: install Python 3.11 or newer," \
	        "or name it with 'make PYTHON=/path/to/python3.11'." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(RUN_STAMP): $(VENV)/pyvenv.cfg $(WANTED)
	$(PIP_INSTALL) -e .
	@touch $@

# What the tests need contains what the workbench needs, so `make run` then has nothing to install.
$(TEST_STAMP): $(VENV)/pyvenv.cfg $(WANTED)
	$(PIP_INSTALL) -e '.[test]'
	@touch $(RUN_STAMP) $@

# Tests start some hundred processes; where PYTHONDONTWRITEBYTECODE is set, each would compile anew.
bytecode: $(TEST_STAMP)
	@$(BIN)/python -m compileall -q -j 0 workbench

compiler:
	@command -v g++ >/dev/null || echo "Warning: g++ is missing, and without it neither the cpu" \
	    "target nor nvcc (PTX, SASS, registers) works: install it with 'apt-get install g++'" \
	    "(Debian, Ubuntu), 'dnf install gcc-c++' (Fedora) or 'xcode-select --install' (macOS)." >&2
