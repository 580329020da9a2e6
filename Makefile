# dpukv: build, test, measure. "make help" lists the targets.

GO      ?= go
TOOL     = $(GO) tool -modfile=tools.mod
# Names what was skipped, and why, at the end of each run.
TEST     = $(TOOL) gotestsum --format pkgname --
# Their yardsticks are Go's own and need no module of their own.
RDMA_BENCH = ./kvs/herd ./verbs/softroce
# A version for the binary: the tag or commit, where this is a checkout.
VERSION ?= $(shell git describe --always --dirty --tags 2>/dev/null || echo devel)

.PHONY: help build ibverbs test test-rdma test-lab lab-packages lint race arm64 bench fuzz deps

help: ## list the targets
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

build: ## build ./dpukv
	$(GO) build -ldflags "-X main.version=$(VERSION)" -o dpukv ./cmd/dpukv

ibverbs: ## build ./dpukv with the provider for RDMA NICs (installs libibverbs-dev where apt-get is)
	@echo '#include <infiniband/verbs.h>' | gcc -E - >/dev/null 2>&1 || { apt-get update -q && apt-get install -qy gcc libc6-dev libibverbs-dev ibverbs-providers; }
	$(GO) build -tags ibverbs -ldflags "-X main.version=$(VERSION)" -o dpukv ./cmd/dpukv

deps: # what the tests need beside Go: a C compiler, for the race detector; sshd, Slurm and login shells, for the launchers
	@command -v gcc >/dev/null || { apt-get update -q && apt-get install -qy gcc libc6-dev; }
	@internal/daemontest/install.sh

test: deps lint ## all tests: lint, unit, race, both build variants, benchmarks for one iteration
	$(TEST) ./...
	$(TEST) -tags purego ./kvs/...
	$(MAKE) race arm64
	cd bench && BENCH_KEYS=1000 $(GO) test -run XXX -bench . -benchtime 1000x ./... >/dev/null
	$(GO) test -run XXX -bench . -benchtime 1000x $(RDMA_BENCH) >/dev/null

test-rdma: ## real verbs: the kernel's soft-RoCE in a small virtual machine (as root; the first time it builds a kernel)
	$(GO) test -tags rdmavm -count=1 -timeout 60m -v ./internal/rdmavm

lab-packages: ## install what forwards in the on-path submodes: Open vSwitch, DPDK, nftables (as root; starts none of it)
	@sh placement/submode/packages.sh

# What has to run on every Linux, with whichever kernel: a skip would be a failure.
LAB_REQUIRE = ovs-netdev ovs-dpdk testpmd

test-lab: lab-packages ## the on-path submodes: every datapath carries the load, with evidence (as root); OvS's kernel datapath and flower in a virtual machine
	SUBMODE_REQUIRE="$(LAB_REQUIRE)" $(TEST) -count=1 ./placement/submode/...
	$(TEST) -count=1 -run 'Submode' ./placement ./cmd/dpukv
	$(GO) test -tags rdmavm -count=1 -timeout 60m -v -run TestOnPath ./internal/rdmavm

race: deps ## the tests under the race detector
	$(TEST) -race -short ./...

arm64: # the other architecture compiles; its tests need a machine or an emulator
	GOARCH=arm64 $(GO) vet ./...

lint: ## gofumpt, vet, staticcheck
	@out=$$($(TOOL) gofumpt -l .); test -z "$$out" || { echo "gofumpt would change:"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	cd bench && $(GO) vet ./...
	$(TOOL) staticcheck ./...

bench: ## every benchmark beside its yardstick, condensed by benchstat (about 25 minutes)
	cd bench && $(GO) test -run XXX -bench . -benchtime 1s -count 5 -timeout 60m ./... | tee ../bench.txt
	$(GO) test -run XXX -bench . -benchtime 1s -count 5 -timeout 60m $(RDMA_BENCH) | tee -a bench.txt
	$(TOOL) benchstat bench.txt

fuzz: ## each fuzz target for 20 seconds
	@for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep ^Fuzz); do \
	    $(GO) test -run XXX -fuzz "^$$f$$" -fuzztime 20s $$p || exit 1; done; done
