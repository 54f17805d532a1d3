# Usage: make [help|race|toolbench|locust|check|test|test-all|chaos|lint|format|serve|history|env|drivers|system|oha|vegeta|lock|wheel|clean]
comma := ,
empty :=
space := $(empty) $(empty)
commas = $(subst $(space),$(comma),$(strip $(1)))
option = $(if $(strip $(2)),--$(1) '$(call commas,$(2))')
fault = $(or $(wildcard tests/long/faults/*/test_$(one).py),tests/long/faults/test_$(one).py)

SCENARIO ?= quick
ENGINE ?= aiohttp-tarantool-one-uvloop
PORT ?= 1717
CORES := $(shell nproc)
# Live tests wait for servers most of the time: one more of them than cores.
TESTS_AT_ONCE ?= $(shell echo $$(($(CORES) < 8 ? $(CORES) + 1 : 8)))
RUN := .venv/bin/python

.PHONY: help race toolbench locust check test test-all chaos lint format serve history ready env drivers system oha vegeta lock wheel clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1 \2/p' Makefile | while read -r name what; do printf '%-9s %s\n' "$$name" "$$what"; done

race: ready  ## race the engines; SCENARIO= ENGINES= PAGES= ROUNDS= ARGS=
	@$(RUN) -m race run '$(SCENARIO)' $(call option,engines,$(ENGINES)) \
	    $(call option,pages,$(PAGES)) $(call option,rounds,$(ROUNDS)) $(ARGS)

toolbench: ready drivers  ## measure database drivers; SCENARIO= DRIVERS= OPERATIONS= ROUNDS= ARGS=
	@$(RUN) -m race run '$(if $(findstring command,$(origin SCENARIO)),$(SCENARIO),toolbench)' \
	    $(call option,drivers,$(DRIVERS)) $(call option,operations,$(OPERATIONS)) \
	    $(call option,rounds,$(ROUNDS)) $(ARGS)

# A name in the environment is not meant: USER is there in every shell, and ENGINE has a default.
given = $(if $(findstring command,$(origin $(1))),$(call option,$(2),$($(1))))

locust: ready  ## the site and Locust's page; SHAPE= ENGINE= USER= WORKERS= HEADLESS=1 ARGS=
	@$(RUN) -m race.web.locust $(call given,ENGINE,engine) $(call given,USER,user) \
	    $(call given,SHAPE,shape) $(call given,WORKERS,workers) \
	    $(if $(HEADLESS),--headless) $(ARGS)

PYTEST = $(RUN) -m pytest -n '$(1)' --dist loadgroup $(ARGS)

check: ready  ## format, lint, types and unit tests, within a minute: run it after each change
	@scripts/check.sh $(ARGS)

test: check drivers  ## check, and the tests on real servers; ARGS=--require-all turns skips into failures
	@$(call PYTEST,$(TESTS_AT_ONCE)) tests/live

test-all: check drivers  ## test, and every engine, every fault: what the nightly run does
	@$(call PYTEST,$(TESTS_AT_ONCE)) tests/live tests/long

chaos: ready  ## make faults on purpose, write docs/reliability.md; FAULTS='hostile slow' SHORT=1 ARGS=
	@$(RUN) -m pytest -q $(if $(FAULTS),$(foreach one,$(FAULTS),$(fault)),tests/long/faults) \
	    $(if $(SHORT),,--full) $(if $(FAULTS)$(SHORT),,--page docs/reliability.md) $(ARGS)

lint: ready  ## format, lint and types, without changing a file
	@$(RUN) -m ruff format --check
	@$(RUN) -m ruff check
	@$(RUN) -m mypy

format: ready  ## format the code and apply the safe fixes
	@$(RUN) -m ruff check --fix
	@$(RUN) -m ruff format

serve: ready  ## serve the site; ENGINE= PORT=
	@$(RUN) server.py -e '$(ENGINE)' -p '$(PORT)'

history: ready  ## a month of plausible votes for the reports; DATABASES='postgres mysql'
	@$(RUN) -m data_interface.history $(DATABASES)

ready:
	@scripts/system.sh
	@scripts/env.sh $(PYTHONS)

env:  ## build .venv and .venv-3.7; PYTHONS="3.8 3.14t" adds more; PYTHON=/path takes that build, BESIDE=NAME as .venv-NAME
	@scripts/env.sh $(if $(findstring command,$(origin PYTHON)),--python '$(PYTHON)' $(if $(BESIDE),--beside '$(BESIDE)')) $(PYTHONS)

drivers:  ## build the toolbench's drivers in Go and Node, where those are installed
	@scripts/drivers.sh

system:  ## install missing Debian packages (as root; otherwise say how)
	@scripts/system.sh

oha:  ## build the open-loop load generator with cargo (about 4 minutes)
	@command -v cargo >/dev/null || { echo 'oha: no cargo; install Rust first, then try again' >&2; exit 1; }
	@cargo install oha --locked --version 1.16.0

vegeta:  ## build the open-loop load generator of any requests with Go
	@command -v go >/dev/null || { echo 'vegeta: no go; install Go first, then try again' >&2; exit 1; }
	@go install -ldflags '-X main.Version=v12.13.0' github.com/tsenart/vegeta/v12@v12.13.0

lock: env  ## remake the locks from requirements/*.in; ARGS=--upgrade takes newer versions
	@scripts/lock.sh $(ARGS)

wheel: ready  ## build the package that others install, dist/*.whl
	@$(RUN) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

clean:  ## remove environments and caches; keeps databases (var) and results
	rm -rf .venv .venv-* .pytest_cache .mypy_cache .ruff_cache
	rm -rf dist toolbench/golang/bin toolbench/nodejs/node_modules
	find . -name __pycache__ -prune -exec rm -rf {} +

.PHONY: purge
purge: ready  ## remove the data that root's databases have outside of the project; ARGS=--all of every project
	@$(RUN) -m databases.purge $(ARGS)
