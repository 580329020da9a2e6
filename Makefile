# dpukv: build, test, measure. "make help" lists the targets.

GO      ?= go
TOOL     = $(GO) tool -modfile=tools.mod
# Names what was skipped, and why, at the end of each run.
TEST     = $(TOOL) gotestsum --format pkgname --
# Their yardsticks are Go's own and need no module of their own.
RDMA_BENCH = ./kvs/herd ./verbs/softroce
# A version for the binary: the tag or commit, where this is a checkout.
VERSION ?= $(shell git describe --always --dirty --tags 2>/dev/null || echo devel)

# How long "make fuzz" runs each target.
FUZZTIME ?= 20s

# Where the C hash functions are that Debian has no package of: cityhash/ and smhasher/.
HASH_C  ?= $(HOME)/.cache/dpukv/hash-c

.PHONY: help build build-arm64 ibverbs release test test-rdma test-lab test-arm64 test-release lint race arm64 \
	bench bench-peers bench-hostile bench-hash-c hash-model simulate fuzz deps deps-arm64 deps-release lab-packages

help: ## list the targets
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

build: ## build ./dpukv
	$(GO) build -ldflags "-X main.version=$(VERSION)" -o dpukv ./cmd/dpukv

ibverbs: ## build ./dpukv with the provider for RDMA NICs (installs libibverbs-dev where apt-get is)
	@echo '#include <infiniband/verbs.h>' | gcc -E - >/dev/null 2>&1 || { apt-get update -q && apt-get install -qy gcc libc6-dev libibverbs-dev ibverbs-providers; }
	$(GO) build -tags ibverbs -ldflags "-X main.version=$(VERSION)" -o dpukv ./cmd/dpukv

build-arm64: ## build ./dpukv-linux-arm64: the one file that a DPU needs
	GOARCH=arm64 CGO_ENABLED=0 $(GO) build -ldflags "-X main.version=$(VERSION)" -o dpukv-linux-arm64 ./cmd/dpukv

release: deps-release ## tarballs and Debian packages of both architectures, into dist/ (2 minutes)
	packaging/release.sh dist

deps: # what the tests need beside Go: a C compiler, for the race detector; an emulator of arm64; a browser, for the report; sshd,
      # Slurm and login shells, for the launchers; other stores; Python, for a client in another language
	@command -v gcc >/dev/null || { apt-get update -q && apt-get install -qy gcc libc6-dev; }
	@command -v qemu-aarch64-static >/dev/null || { apt-get update -q && apt-get install -qy qemu-user-static; }
	@command -v chromium >/dev/null || { apt-get update -q && apt-get install -qy --no-install-recommends chromium; }
	@command -v python3 >/dev/null || { apt-get update -q && apt-get install -qy --no-install-recommends python3; }
	@internal/test/daemon/install.sh

test: deps lint ## all tests: lint, unit, race, both build variants, benchmarks for one iteration
	$(TEST) ./...
	$(TEST) -tags purego ./kvs/... ./hashbench ./hashbench/tuned
	$(MAKE) race arm64
	cd bench && BENCH_KEYS=1000 $(GO) test -run XXX -bench . -benchtime 1000x ./... >/dev/null
	$(GO) test -run XXX -bench . -benchtime 1000x $(RDMA_BENCH) >/dev/null

test-rdma: ## real verbs: the kernel's soft-RoCE in a small virtual machine (as root; the first time it builds a kernel)
	$(GO) test -tags guest -count=1 -timeout 60m -v -skip TestOnPath ./internal/guest # test-lab runs that

# Every test runs under qemu-user, or says itself what it lacks there (internal/test/kernel).
test-arm64: deps-arm64 ## all short tests as arm64 programs under qemu-user, and sweeps between architectures
	@$(GO) list -deps -test ./... >/dev/null # fetches modules: there is no network inside
	$(TOOL) gotestsum --format pkgname --raw-command -- \
		packaging/arm64.sh env GOARCH=arm64 CGO_ENABLED=0 $(GO) test -json -short ./...
	$(GO) test -tags arm64emu -count=1 -v ./packaging

test-release: deps-release ## builds a release twice, compares the bits, installs it into a bare Debian and measures there
	$(GO) test -tags release -count=1 -timeout 30m -v ./packaging

deps-arm64:
	@command -v qemu-aarch64-static >/dev/null && command -v ip >/dev/null || { apt-get update -q && apt-get install -qy --no-install-recommends qemu-user-static iproute2; }

# The cross compiler, and libibverbs for both architectures, side by side (Debian's multiarch: the other architecture's
# files have folders of their own).
deps-release:
	@pkgs="gcc libc6-dev jq dpkg-dev debootstrap libibverbs-dev:amd64 gcc-aarch64-linux-gnu libc6-dev-arm64-cross libibverbs-dev:arm64"; \
	dpkg -s $$pkgs >/dev/null 2>&1 || { dpkg --add-architecture arm64 && apt-get update -q && apt-get install -qy --no-install-recommends $$pkgs; }
lab-packages: ## install what forwards in the on-path submodes: Open vSwitch, DPDK, nftables (as root; starts none of it)
	@sh placement/submode/packages.sh

# What has to run on every Linux, with whichever kernel: a skip would be a failure.
LAB_REQUIRE = ovs-netdev ovs-dpdk testpmd

test-lab: lab-packages ## the on-path submodes: every datapath carries the load, with evidence (as root); OvS's kernel datapath and flower in a virtual machine
	@test "$$(id -u)" = 0 || { echo "test-lab: found user $$(id -un), allowed: root; others would skip its tests" >&2; exit 1; }
	SUBMODE_REQUIRE="$(LAB_REQUIRE)" $(TEST) -count=1 ./placement/submode/...
	SUBMODE_REQUIRE="$(LAB_REQUIRE)" $(TEST) -count=1 -run 'Submode' ./placement ./cmd/dpukv
	$(GO) test -tags guest -count=1 -timeout 60m -v -run TestOnPath ./internal/guest

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

bench-peers: deps build ## memcached and Redis beside MICA and HERD on this machine: the ratios (about 8 minutes)
	cd bench && $(GO) run ./peers ../dpukv peers/peers.yaml peers/peers-herd.yaml

bench-hostile: build ## what MICA's and HERD's servers bear: hostile clients beside an honest one (about 8 minutes)
	cd bench && for s in mica herd; do $(GO) run ./hostile -store $$s ../dpukv || exit 1; done

bench-hash-c: ## Go's hash functions beside C's: the same bits, and time over time (about 2 minutes)
	@command -v g++ >/dev/null && test -e /usr/include/farmhash.h || { apt-get update -q && apt-get install -qy g++ libxxhash-dev libfarmhash-dev libhighwayhash-dev libssl-dev; } || echo "without some of Debian's references"
	@for r in google/cityhash rurban/smhasher; do d=$(HASH_C)/$${r#*/}; \
	  test -d $$d || git clone -q --depth 1 https://github.com/$$r $$d || echo "without $$r, which could not be fetched"; done
	HASH_C_SOURCES=$(HASH_C) $(GO) test ./hashbench/reference -count=1 -v -times 60s -timeout 30m

hash-model: ## what hash functions would take on Cortex-A72 and A78: a model, not a measurement (some minutes)
	@command -v qemu-aarch64-static >/dev/null && command -v llvm-mca-19 >/dev/null || { apt-get update -q && apt-get install -qy qemu-user-static llvm-19; }
	$(GO) run ./hashbench/model/hash-model

SEEDS ?= 10000
simulate: ## MICA's and HERD's servers among hostile clients in SEEDS simulated worlds each (SEEDS=10000)
	$(GO) test ./kvs/mica ./kvs/herd -run Simulation -timeout 0 -v -simulate.seeds $(SEEDS)

fuzz: ## each fuzz target for 20 seconds (FUZZTIME=5m: for longer); fails only for what was found
	GO="$(GO)" $(GO) run ./internal/fuzzall -time $(FUZZTIME) ./...
