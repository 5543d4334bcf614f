# Plateia. `make` alone lists what there is.
# A fresh Debian machine needs Go 1.26, Node 20 and make; the rest is installed by `make need`.

GO    ?= go
TESTS ?= ./...
ADDR  ?= 127.0.0.1:8080
DATA  ?= .plateia
RUNS  ?= 1
SEED  ?= 0
LINT_VERSION := v2.15.0
RETRY := $(CURDIR)/deploy/dev/retry

.DEFAULT_GOAL := help
.PHONY: help run build web need need-browser modules test test-go test-web test-e2e screenshots fuzz lint fmt bench bench-go crowd herd chaos chaos-payments chaos-outage drill clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: need build ## build everything, start everything, print its address and a partner's
	bin/plateia dev --addr $(ADDR) --data $(DATA)

build: web ## bin/plateia with the web pages inside
	$(GO) build -trimpath -o bin/plateia .

web: web/dist/manifest.json ## the pages, scripts and styles, hashed and compressed

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && $(RETRY) "npm ci" npm ci --no-audit --no-fund --loglevel=error

web/dist/manifest.json: web/node_modules/.package-lock.json $(shell find web -path web/node_modules -prune -o -path web/dist -prune -o -path web/e2e -prune -o -type f -print 2>/dev/null)
	cd web && node build.mjs

modules: ## the Go modules that go.mod names
	@$(RETRY) "go mod download" $(GO) mod download

need: ## what running needs: a PostgreSQL server (apt-get when root)
	@deploy/dev/need server

need-browser: ## what the browser tests need as well: Chromium
	@deploy/dev/need server browser

test: need-browser modules ## every test: Go with the race detector, TypeScript, the browser
	$(MAKE) test-web
	$(MAKE) test-go
	$(MAKE) test-e2e

# Vet is the linter's, who else would do it again. A test binary under the race detector sleeps for a second before it ends, and tests
# wait for clocks: more packages at once than the machine has cores.
test-go: web ## Go tests, race detector and shuffle on
	$(GO) test -race -vet=off -shuffle=on -p $$(( $$(nproc) + 1 )) -timeout 20m $(TESTS)

test-web: web ## type check and unit tests of the pages
	cd web && npm test

test-e2e: build ## the whole flow in Chromium, and axe on every page
	cd web && npm run e2e

SHOTS ?= .screenshots
screenshots: build need-browser ## pictures of every page and state, 3 widths, light and dark, into SHOTS (.screenshots)
	cd web && npm run screenshots -- $(abspath $(SHOTS)) $(SCENES)

lint: ## golangci-lint, pinned
	@test -x bin/tools/$(LINT_VERSION)/golangci-lint || GOBIN=$(CURDIR)/bin/tools/$(LINT_VERSION) $(RETRY) "installing golangci-lint" $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	bin/tools/$(LINT_VERSION)/golangci-lint run

FUZZ_TIME ?= 30s
fuzz: ## every fuzz target for FUZZ_TIME (30s) each; `make test` runs their seeds
	@$(GO) list -f '{{.ImportPath}} {{.Dir}}' ./... | while read -r package dir; do \
		for target in $$(cat $$dir/*_test.go 2>/dev/null | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p'); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZ_TIME) -fuzzminimizetime 20x "$$package" || exit 1; \
		done; done

CROWD ?= 20000
crowd: need ## CROWD (20000) HTTP fans, 4,000 connected at most, through the line of plateia dev: under five minutes
	PLATEIA_CROWD=$(CROWD) $(GO) test -count=1 -timeout 8m -run 'TestACrowdComesThroughTheLine' -v .

herd: ## two gateways of 9,000 viewers, one restarts: they return spread, the database is read once an event
	PLATEIA_HERD=9000 $(GO) test -count=1 -run 'TestRestartIsNoHerd' -v ./realtime/gateway

fmt: ## gofmt
	gofmt -w $(shell git ls-files '*.go')

bench: build need ## holds a second: engine, HTTP, one transaction per hold and Redis (if installed), in one run
	bin/plateia bench holds $(if $(shell command -v redis-server),--redis auto)
	bin/plateia bench holds --mode engine --contention hot
	bin/plateia bench holds --mode engine --contention hot --engines 2

bench-go: ## Go benchmarks: Decide, best available, the wire, tokens, bodies
	$(GO) test -run '^$$' -bench 'Decide|Best/.*/(2|10)/off|Frames|DecodeStream|Session|DecodeHold' \
		./core/inventory ./core/pick ./realtime/wire ./waitingroom/token ./edge/decode

chaos: need ## sell 5,000 seats while everything breaks; RUNS=10 repeats, SEED=n repeats one run's faults
	$(GO) test -c -o bin/chaos.test ./db/chaos
	@for run in $$(seq $(RUNS)); do \
		(cd db/chaos && $(CURDIR)/bin/chaos.test -test.run '^TestChaos$$' -test.v -test.timeout 10m -chaos.full -chaos.seed=$(SEED)) || exit 1; \
	done

chaos-payments: need ## 10,000 orders through banks that do everything wrong, 20 kills; RUNS=n, SEED=n as for chaos
	$(GO) test -c -o bin/payments.test ./edge/payments/chaos
	@for run in $$(seq $(RUNS)); do \
		(cd edge/payments/chaos && $(CURDIR)/bin/payments.test -test.run '^TestPaymentsThroughChaos$$' -test.v -test.timeout 20m -payments.full -payments.seed=$(SEED)) || exit 1; \
	done

chaos-outage: need ## a sale in real time whose primary is away for two minutes, then both providers are
	$(GO) test -count 1 -run '^TestSalesSurviveTwoMinutesWithoutTheirPrimary$$' -v -timeout 10m -outage.full .

drill: build need ## two regions here; one is killed in the middle of a sale, then, again, one is cut off
	bin/plateia drill failover --start --data .plateia-drill --fans 400 --arrival 40s --viewers 200
	bin/plateia drill failover --start --data .plateia-drill --fans 400 --arrival 40s --viewers 200 --freeze

clean: ## what was built; the data folder stays
	rm -rf bin web/dist/* web/node_modules
	touch web/dist/.gitkeep
