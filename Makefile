# The one door. `make` alone says what there is.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Tools that this repository needs in an exact version live in .tools, so that they never replace a user's own.
export PATH := $(CURDIR)/.tools/bin:$(PATH)

.PHONY: help setup demo test lint format extension e2e cases drift drift-live conformance bench models mcp-sdk tokens faults soak fuzz clean

help: ## say what there is
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## install what is missing (apt, rustup, cargo, npm), skip what is there
	@scripts/setup.sh

extension: setup ## build both forms of the probe and extension/dist, the folder to load into Chrome
	@npm run --silent build

demo: extension ## record a person, replay, heal after a redesign, decline before a lookalike
	@cargo build --quiet --package cairn-host --bin cairn --package cairn-tests --bin demo
	@target/debug/demo

test: setup ## everything that must hold: lint, native, in-page and end-to-end tests
	@scripts/test.sh

e2e: extension ## the end-to-end tests alone
	@scripts/test.sh e2e

cases: extension ## every case of tests/cases, recorded and replayed in both builds of the probe (CASES='--engine wasm|twin 01 42': some)
	@cargo build --quiet --package cairn-host --bin cairn --package cairn-tests --bin cases
	@target/debug/cases $(CASES)

.PHONY: waits widgets miniwob flows

waits: extension ## pages that make a replay wait (skeletons, spinners, lists that sort themselves): acted rightly, or declined within the bound
	@cargo build --quiet --package cairn-host --bin cairn --package cairn-tests --bin cases
	@target/debug/cases --folder tests/waits $(CASES)

widgets: extension ## widgets that people meet (date pickers, editors, sliders, masks, components), recorded and replayed
	@npm ci --silent --no-audit --no-fund --prefix tests/widgets && node tests/widgets/bundle.mjs
	@cargo build --quiet --package cairn-host --bin cairn --package cairn-tests --bin cases
	@target/debug/cases --folder tests/widgets $(CASES)

miniwob: extension ## MiniWoB++: tasks solved by a person, recorded, replayed to the page's own reward (TASKS='click-tab …': some)
	@scripts/miniwob.sh $(TASKS)

flows: extension ## flows of ten steps and more (todos, Swagger UI, Shoelace, a Django admin), each replayed 20 times
	@scripts/flows.sh

lint: setup ## formatting, clippy, biome, tsc
	@scripts/test.sh lint

format: setup ## let the formatters have their way
	@cargo fmt --all
	@npm run --silent format

drift: ## the ladder and its rivals on recorded drift and mutants, every table (`make test` holds the bars)
	@cargo run --quiet --release --package cairn-tests --bin drift

drift-live: extension ## real applications at two versions, recorded and replayed live, and 300 pages changed in the browser (ARGS=--write)
	@scripts/drift-live.sh $(ARGS)

conformance: extension ## roles, names, recall and precision against Chromium on test pages, W3C vectors and real applications (npm)
	@scripts/test.sh conformance

bench: extension ## speed and size, as ratios against playwright-core in the same browser
	@scripts/bench.sh

models: extension ## fifteen goals on Django's admin, Swagger UI and datasette, by a model of rules, replayed without it
	@scripts/models.sh goals

mcp-sdk: extension ## drive `cairn mcp` with the official Python SDK, a client that is not ours
	@scripts/mcp-sdk.sh

tokens: extension ## what an agent reads of a page, in tokens, against playwright-mcp
	@scripts/models.sh tokens

faults: extension ## kill tab, worker, socket, daemon and browser around a step that sends, 200 times (FAULTS=N: N times)
	@cargo build --quiet --package cairn-host --bin cairn
	@CAIRN_FAULTS=$${FAULTS:-200} cargo test --package cairn-tests --test end_to_end faults -- --nocapture

soak: extension ## a thousand replays in a row, and eight at a time: what grows, what is left behind
	@cargo build --quiet --package cairn-host --bin cairn --package cairn-tests --bin soak
	@target/debug/soak

fuzz: ## what is read from outside, with new cases for ten minutes a target (MINUTES=N)
	@scripts/fuzz.sh $${MINUTES:-10}

clean: ## remove what was built (tools in .tools stay)
	@cargo clean
	@rm -rf extension/dist target-* tests/out
