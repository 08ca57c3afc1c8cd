# The commands for daily use. Each creates .venv if necessary.
PYTHON ?= python3
# The versions that were tested. `make install CONSTRAINTS=` installs the newest instead.
CONSTRAINTS ?= constraints.txt
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
STORE_SERVERS := .cache/store-servers
PLUGIN := contrib/openclaw-plugin
MEMORY_PLUGIN := contrib/openclaw-memory
OBSIDIAN_PLUGIN := contrib/obsidian-plugin
PAGE_TESTS := tests/page
PAGE_MODULES := $(PAGE_TESTS)/node_modules/.package-lock.json
AZURITE := tests/object_store/azurite/node_modules/.package-lock.json
NODE_MODULES := $(PLUGIN)/node_modules/.package-lock.json $(MEMORY_PLUGIN)/node_modules/.package-lock.json \
	$(OBSIDIAN_PLUGIN)/node_modules/.package-lock.json
QUICK := $(wildcard tests/test_*.py) $(addprefix tests/,batch config eventlog folds golden guard notes \
	protocol runtime search state vault watch)
HAS_NODE := $(shell node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null && echo yes)

.PHONY: demo picture picture-page test test-quick test-store test-plugin test-openclaw test-page plugin check docs chaos bench bench-peers bench-quality bench-sets clean install format

install: $(STAMP)

$(STAMP): pyproject.toml ragd/__init__.py $(CONSTRAINTS)
	@echo "Installing into $(VENV): a minute or two, and 1 GB, the first time."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		$(if $(CONSTRAINTS),--constraint $(CONSTRAINTS)) --editable '.[dev]'
	@touch $@

demo: $(STAMP)  ## install, run the daemon in a temporary home, leave nothing behind
	@$(BIN)/python examples/demo.py

picture: $(STAMP)  ## record docs/picture.svg again, from real commands in a terminal
	@$(BIN)/python -m examples.picture

test: $(STAMP) $(if $(HAS_NODE),test-plugin $(AZURITE))  ## all tests; those of the plugin if Node 20 or newer is installed
	$(BIN)/python -m pytest -n 4 --dist worksteal --cov --cov-report=
	@$(BIN)/coverage report
	@$(if $(HAS_NODE),,echo "Not run: the tests of the plugins, and of az:// addresses. They need Node 20 or newer.")
	@echo "Not part of it: make test-page, make test-store, make test-openclaw (downloads 280 MB), make chaos, make bench."

test-quick: $(STAMP)  ## in a minute: the tests that need no daemon and no model
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not slow' $(QUICK)

$(STORE_SERVERS)/.installed: tests/object_store/servers.txt
	@echo "Installing object stores into $(STORE_SERVERS): 200 MB, the first time."
	@test -x $(STORE_SERVERS)/bin/python || $(PYTHON) -m venv $(STORE_SERVERS)
	@$(STORE_SERVERS)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

test-store: $(STAMP) $(STORE_SERVERS)/.installed $(if $(HAS_NODE),$(AZURITE))  ## indexes in object stores, on real servers: 200 kills, a fight of 10 minutes
	RAGD_STORE_KILLS=200 RAGD_STORE_FIGHT_S=600 RAGD_STORE_DAEMON_KILLS=20 \
		$(BIN)/python -m pytest -n 2 --dist worksteal --timeout=3600 --durations=20 tests/object_store

$(NODE_MODULES) $(PAGE_MODULES) $(AZURITE): %/node_modules/.package-lock.json: %/package-lock.json
	@cd $* && npm ci --loglevel=error > /dev/null
	@touch $@

test-plugin: $(STAMP) $(NODE_MODULES)  ## the tests of the OpenClaw plugins and of the Obsidian plugin
	@cd $(PLUGIN) && npm test --silent
	@cd $(MEMORY_PLUGIN) && npm test --silent
	@cd $(OBSIDIAN_PLUGIN) && npm test --silent

plugin: $(NODE_MODULES)  ## pack the OpenClaw plugins, and build the Obsidian plugin in its folder dist
	@cd $(PLUGIN) && npm pack --silent
	@cd $(MEMORY_PLUGIN) && npm pack --silent
	@cd $(OBSIDIAN_PLUGIN) && npm run --silent build

test-openclaw: $(STAMP) $(NODE_MODULES)  ## the plugins in the real OpenClaw, with a real daemon; downloads 280 MB once
	@$(PLUGIN)/harness/run

test-page: $(STAMP) $(if $(HAS_NODE),$(PAGE_MODULES))  ## the page in a real browser, offline; downloads 85 MB once
	@$(if $(HAS_NODE),cd $(PAGE_TESTS) && npm test --silent,echo "Not run: the tests of the page. They need Node 20 or newer.")

picture-page: $(STAMP) $(PAGE_MODULES)  ## take docs/page.png again, from the example vault in a real browser
	@cd $(PAGE_TESTS) && node picture.mjs

check: $(STAMP)  ## formatting, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(STAMP)  ## write the pages of docs/ that are generated from the code; a test compares them
	@$(BIN)/python -m pages

chaos: $(STAMP)  ## 200 kill -9 cycles, every crash point, every fault, 200 random rounds; prints its seed
	$(BIN)/python -m chaos --cycles 200 --rounds 200

bench: $(STAMP)  ## speed, as ratios within one run
	$(BIN)/python -m bench

bench-peers: $(STAMP)  ## ragd beside QMD and bare LanceDB, in turns; installs QMD in .bench-peers (1 GB); needs Node
	$(BIN)/python -m bench.peers

bench-quality: $(STAMP)  ## how well questions find their notes; writes the tables of docs/retrieval.md
	$(BIN)/python -m bench.quality --write docs/retrieval.md

bench-sets: $(STAMP)  ## the tuning half of every set of questions (docs/sets.md); indexes stay in .bench-sets
	$(BIN)/python -m bench.sets --keep .bench-sets

clean:
	rm -rf $(VENV) .bench-sets .bench-peers .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
