# dpukv: build, test, measure. "make help" lists the targets.

GO      ?= go
TOOL     = $(GO) tool -modfile=tools.mod
# apt-get asks nothing.
export DEBIAN_FRONTEND = noninteractive

# A stage is a target that CI runs. $(call record,NAME,PACKAGES) runs tests and records them for the
# stage; with CI=1, up to five that failed run once more, alone, and CI lists them at its end.
# $(SKIPS) prints what the stage skipped, and fails with CI=1 if .ci/skips.txt does not allow it.
STAGE    = $@
RECORDS  = .test-records/$(STAGE)
FORMAT   = pkgname
record   = mkdir -p $(RECORDS) && \
	$(TOOL) gotestsum --format $(FORMAT) --jsonfile $(RECORDS)/$(1).json $(if $(2),--packages "$(2)" $(call rerun,$(1)))
rerun    = $(if $(CI),--rerun-fails=1 --rerun-fails-max-failures=5 --rerun-fails-run-root-test \
	--rerun-fails-abort-on-data-race --rerun-fails-report $(RECORDS)/$(1).rerun)
SKIPS    = $(GO) run ./internal/test/skips $(STAGE) $(RECORDS)/*.json
# Their yardsticks are Go's own and need no module of their own.
RDMA_BENCH = ./kvs/herd ./kvs/onesided ./verbs/softroce ./verbs/mqueue
SESSION_BENCH = ./kvs/mica ./kvs/redis ./kvs/memcached
# The binary's version; and its commit, for builds in which the go command records none (GOFLAGS=-buildvcs=false).
VERSION ?= $(shell packaging/version.sh)
COMMIT  ?= $(shell packaging/version.sh commit)
LDFLAGS  = -X main.version=$(VERSION) -X main.commit=$(COMMIT)

# How long "make fuzz" runs each target.
FUZZTIME ?= 20s

# Where the C hash functions are that Debian has no package of: cityhash/ and smhasher/.
HASH_C  ?= $(HOME)/.cache/dpukv/hash-c

# The programs of internal/test/kube, by their versions.
KUBE    ?= $(HOME)/.cache/dpukv/kubernetes-$(shell sha256sum internal/test/kube/go.sum | cut -c1-12)

.PHONY: help first build build-arm64 release deps deps-release lab-packages packages prepare lint lint-builds ci \
	test test-full test-rdma test-lab test-card test-kube test-arm64 test-arm64-64k test-release \
	simulate fuzz figures bench bench-quick bench-judge bench-peers bench-hostile bench-hash-c hash-model

help: ## list the targets
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

# Without cgo the binary asks for no version of the C library: nodes with an older one run it, too.
build: ## build ./dpukv
	CGO_ENABLED=0 $(GO) build -ldflags "$(LDFLAGS)" -o dpukv ./cmd/dpukv

# A point that failed fails the target at its end: the page has its reason.
first: build ## build, measure this machine for 20 seconds, answer and report: where the page is (2 minutes)
	@dir=runs/first; n=1; while test -e $$dir; do n=$$((n+1)); dir=runs/first-$$n; done; failed=0; \
		./dpukv sweep --quick --out $$dir || failed=$$?; test -d $$dir || exit $$failed; \
		./dpukv answer $$dir || failed=$$?; \
		./dpukv report $$dir >/dev/null && echo "$(CURDIR)/$$dir/report.html" || failed=$$?; exit $$failed

build-arm64: ## build ./dpukv-linux-arm64: the one file that a DPU needs
	GOARCH=arm64 CGO_ENABLED=0 $(GO) build -ldflags "$(LDFLAGS)" -o dpukv-linux-arm64 ./cmd/dpukv

release: deps-release ## tarballs and Debian packages of both architectures, into dist/ (2 minutes)
	packaging/release.sh dist

deps: ## install what make test uses beside Go (as root on Debian; up to 910 MB)
	@internal/test/install.sh test

deps-%:
	@internal/test/install.sh test $*

# With -cpu 8, a scheduler is left that sees what the network brings while tests poll on both CPUs.
test: lint ## lint and the short tests, with what is installed (goal: 3 minutes, without lint)
	@rm -rf $(RECORDS)
	@$(call record,short,./...) -- -short -timeout 20m -cpu 8; status=$$?; \
		$(GO) run ./internal/test/skips -missing $(STAGE) $(RECORDS)/*.json && exit $$status

# The stages share no test but the short ones under the race detector.
ci: ## all of CI: make test, then the other stages, with the time of each (as root; goal: 50 minutes)
	.ci/run

# $(call importing,A|B): the packages with tests that import one of these.
importing = $$($(GO) list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{join .Imports " "}} {{end}}' ./... | \
	grep -E ' ($(1)) ' | cut -d' ' -f1)
# What has locks or atomics, but for what mostly starts other processes.
RACE      = $(filter-out dpukv/cmd/% dpukv/placement/emulate dpukv/placement/run dpukv/results/report,$(shell \
	echo $(call importing,sync|sync/atomic)))
# Many repetitions of what other tests of the packages do with the race detector, too.
COUNTS    = ^(TestTorn|TestZipfIsExact|TestSealAvalanche|TestHitRate)$$
# What a processor's architecture can change. For clients, and for what starts machines and servers,
# the stage's sweeps stand: theirs are a quarter of an hour where the tests are slow.
ARM64     = $(filter-out dpukv/client dpukv/cmd/% dpukv/placement/% dpukv/kvs/mica/storehalf,$(shell \
	echo $(call importing,unsafe|golang.org/x/sys/unix|encoding/binary)))
# Where the tag purego chooses other files.
PUREGO = ./hashbench ./hashbench/result ./kvs/partition ./probe/memory/stream ./verbs/shm ./verbs/softroce/wire

# "skips -again" names the tests that the short run left out, or cut short.
test-full: deps-full lint-builds ## what make test leaves out: long tests, race detector, other builds, benchmarks once
	@test -s .test-records/test/short.json || $(MAKE) test
	@rm -rf $(RECORDS)
	set -- $$($(GO) run ./internal/test/skips -again $(STAGE) .test-records/test/short.json) && run=$$2 && shift 2 && \
		$(call record,long,$$*) -- -run "$$run" -timeout 30m
	$(call record,purego,$(PUREGO)) -- -short -tags purego
	$(call record,static,./verbs/ibverbs ./verbs/provider) -- -tags static
	$(call record,race,$(RACE)) -- -race -short -timeout 30m -skip '$(COUNTS)'
	$(call record,lab) --raw-command -- $(GO) -C hashbench/lab test -json ./...
	cd bench && BENCH_KEYS=1000 $(GO) test -bench . -benchtime 1000x ./... >/dev/null
	$(GO) test -run XXX -bench . -benchtime 1000x $(RDMA_BENCH) ./load/trace >/dev/null
	$(GO) test -run XXX -bench 'Session$$' -benchtime 1000x $(SESSION_BENCH) >/dev/null
	@$(SKIPS) .test-records/test/short.json

test-rdma: FORMAT = standard-verbose
test-rdma: ## real verbs in a virtual machine: soft-RoCE (as root; builds a kernel once)
	@rm -rf $(RECORDS)
	$(call record,guest,./internal/guest) -- -tags guest -count=1 -timeout 60m \
		-skip 'TestOnPath|TestCard|TestPages64|TestKernels' # other stages run these
	@$(SKIPS)

# A test that qemu-user cannot run skips with the reason (internal/test/kernel). One that qemu-user
# hangs in a fork runs again.
test-arm64: AGAIN = $(CURDIR)/internal/test/kernel/again.sh
test-arm64: deps-arm64 ## short tests under qemu-user, of what a processor can change; sweeps between architectures
	@$(GO) list -deps -test ./... >/dev/null # fetches modules: there is no network inside
	@rm -rf $(RECORDS)
	$(call record,short) $(call rerun,short) --raw-command -- packaging/arm64.sh env GOARCH=arm64 CGO_ENABLED=0 sh -c \
		'[ $$# -gt 0 ] || set -- $(ARM64); exec $(GO) test -exec $(AGAIN) -json -short -timeout 30m "$$@"' $@
	$(call record,sweeps,./packaging) -- -exec $(AGAIN) -tags arm64emu -count=1 -timeout 30m
	@$(SKIPS)

test-arm64-64k: FORMAT = standard-verbose
test-arm64-64k: ## memory on an arm64 kernel with pages of 64 KiB, under qemu (builds a kernel once)
	@rm -rf $(RECORDS)
	$(call record,guest,./internal/guest) -- -tags guest -count=1 -timeout 60m -run TestPages64
	@$(SKIPS)

$(KUBE)/built:
	cd internal/test/kube && CGO_ENABLED=0 $(GO) build -ldflags '-s -w' -o $(KUBE)/ tool
	@touch $@

test-kube: FORMAT = standard-verbose
test-kube: deps-kube $(KUBE)/built ## kubectl against Kubernetes' own API server and kubelet (as root; builds both: 5 minutes)
	@test "$$(id -u)" = 0 || { echo "test-kube: found user $$(id -un), allowed: root; others would skip its tests" >&2; exit 1; }
	@rm -rf $(RECORDS)
	export PATH="$(KUBE):$$PATH:/usr/sbin" && \
		$(call record,kube,./placement/launch ./cmd/dpukv) -- -tags kube -count=1 -run 'TestKubectl$$|TestKubernetes$$'
	@$(SKIPS)

test-release: FORMAT = standard-verbose
test-release: deps-release ## a release: built twice, compared, installed in a bare Debian
	@rm -rf $(RECORDS)
	$(call record,release,./packaging) -- -tags release -count=1 -timeout 30m
	$(call record,layout,./verbs/ibverbs) -- -count=1 -run 'TestLayout|TestConstants'
	@$(SKIPS)

# The compilers and headers are for TestLayout of verbs/ibverbs, which is part of the stage.
RELEASE_PACKAGES = gcc libc6-dev jq dpkg-dev debootstrap libibverbs-dev:amd64 \
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross libibverbs-dev:arm64
deps-release:
	@dpkg -s $(RELEASE_PACKAGES) >/dev/null 2>&1 || { dpkg --add-architecture arm64 && apt-get update -q && \
		apt-get install -qy --no-install-recommends $(RELEASE_PACKAGES); }

packages: deps-release lab-packages ## install what all stages need (as root), but for the guests' part of prepare
	@internal/test/install.sh test full arm64 kube bench

# One kernel and one build of Kubernetes serve all later runs.
prepare: $(KUBE)/built ## build what the guests and test-kube need, once (as root; 10 minutes)
	$(GO) test -tags guest -count=1 -timeout 60m -run TestKernels ./internal/guest

lab-packages: ## install what forwards in the on-path submodes: Open vSwitch, DPDK, nftables (as root; starts none of it)
	@sh placement/submode/packages.sh

# What has to run on every Linux, with whichever kernel: a skip would be a failure.
LAB_REQUIRE = ovs-netdev ovs-dpdk testpmd

test-lab: lab-packages ## every on-path datapath under load, with evidence (as root)
	@test "$$(id -u)" = 0 || { echo "test-lab: found user $$(id -un), allowed: root; others would skip its tests" >&2; exit 1; }
	@rm -rf $(RECORDS)
	export SUBMODE_REQUIRE="$(LAB_REQUIRE)" && \
		$(call record,submode,./placement/submode) -- -count=1 -timeout 30m
	export SUBMODE_REQUIRE="$(LAB_REQUIRE)" && \
		$(call record,sweeps,$$(grep -rlE '^func Test\w*Submode' --include=*_test.go \
		placement cmd | xargs -n1 dirname | sort -u | sed 's,^,./,')) -- -count=1 -timeout 30m -run Submode
	$(call record,guest,./internal/guest) -- -tags guest -count=1 -timeout 60m -run TestOnPath
	@$(SKIPS)

test-card: lab-packages ## the submodes of a BlueField on emulated tools: a rehearsal, no card (as root; 5 minutes)
	@test "$$(id -u)" = 0 || { echo "test-card: found user $$(id -un), allowed: root, who may make namespaces; to do: sudo make test-card" >&2; exit 1; }
	@rm -rf $(RECORDS)
	$(call record,card,./placement/rehearsal) -- -tags card -count=1 -timeout 30m
	$(call record,guest,./internal/guest) -- -tags guest -count=1 -timeout 60m -run TestCard
	@$(SKIPS)

lint: ## gofumpt, vet of all modules, staticcheck, cycles of files
	@out=$$($(TOOL) gofumpt -l .); test -z "$$out" || { echo "gofumpt would change:"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	for module in $(NESTED); do $(GO) -C $$module vet ./... || exit 1; done
	$(TOOL) staticcheck ./...
	$(GO) test -run '^TestCycles$$' ./internal/test/layout

# The modules of their own. A dependency of dpukv may be missing there.
NESTED = bench hashbench/lab internal/test/kube

# Vet compiles the tests of every build that a later stage runs: a test that one of them cannot
# compile fails here, in the first minutes.
lint-builds: ## vet of all other builds
	$(GO) vet -tags static ./verbs/... ./cmd/dpukv
	$(GO) vet -tags purego $(PUREGO)
	$(GO) vet -tags arm64emu,card,guest,kube,manual,release ./...
	GOARCH=arm64 $(GO) vet $(ARM64)

REPEATS ?= 5
PARTS ?= .
bench: deps-bench ## every benchmark beside its yardstick, into bench/results (an hour, two on a noisy host; REPEATS=2: half; PARTS=herd: one package)
	cd bench && $(GO) run ./measure -repeats $(REPEATS) -parts '$(PARTS)'
	$(TOOL) benchstat -filter '-.unit:/-cpus$$|^fixed-/' "$$(ls -t bench/results/*.txt | head -1)"

BASE ?=
ROWS ?= .
bench-quick: ## which paths a change has made faster or slower (BASE=commit; ROWS=herd: those subjects; first use: the margins)
	cd bench && $(GO) run ./judge -base '$(BASE)' -only '$(ROWS)'

bench-judge: ## how often bench-quick is right, on a quiet machine: a table (4 hours; goes on where it ended)
	cd bench && $(GO) run ./judge -base '$(BASE)' -only '$(ROWS)' -self-test

bench-peers: deps build ## memcached and Redis beside MICA and HERD on this machine, into bench/results: the ratios (about 9 minutes)
	cd bench && $(GO) run ./peers ../dpukv peers/peers.yaml peers/peers-herd.yaml peers/peers-threads.yaml

bench-hostile: build ## what MICA's and HERD's servers bear: hostile clients beside an honest one (about 8 minutes)
	cd bench && for s in mica herd; do $(GO) run ./hostile -store $$s ../dpukv || exit 1; done

bench-hash-c: deps-full ## Go's hash functions beside C's: the same bits, and time over time (about 2 minutes)
	@for r in google/cityhash rurban/smhasher; do d=$(HASH_C)/$${r#*/}; \
	  test -d $$d || git clone -q --depth 1 https://github.com/$$r $$d || echo "without $$r, which could not be fetched"; done
	HASH_C_SOURCES=$(HASH_C) $(GO) -C hashbench/lab test ./reference -count=1 -v -times 60s -timeout 30m

hash-model: deps-full ## what hash functions would take on Cortex-A72 and A78: a model, not a measurement (some minutes)
	$(GO) -C hashbench/lab run ./hash-model

SEEDS ?= 10000
simulate: ## servers and lanes in SEEDS simulated worlds each (SEEDS=10000), with each fault put back; READs; intervals
	$(GO) test ./kvs/mica ./kvs/herd -run '^Test(Simulation|PutBack)(OfLink)?$$' -timeout 0 -v -simulate.seeds $(SEEDS)
	$(GO) test ./kvs/onesided -run '^Test(Torn|Linearizable)$$' -timeout 0 -v -gets $(SEEDS)0000
	$(GO) test ./verbs/mqueue -run '^TestModel$$' -timeout 0 -v -rapid.checks $(SEEDS)
	$(GO) test ./results -run TestIntervalsHoldTheTruth -timeout 0 -v -periods 1000

figures: ## the pictures of docs/img, from the runs in examples/runs
	$(GO) test ./internal/test/images -count=1 -update

# Go's engine now and then fails a target whose time ran out in the middle of an input. So a target
# that failed runs once more: an input that fails is in testdata by then, and fails again.
fuzz: ## each fuzz target for 20 seconds (FUZZTIME=5m: for longer); fails only for what was found
	@failed=; for p in $$($(GO) list ./...); do \
		list=$$($(GO) test -list '^Fuzz' $$p) || failed="$$failed $$p"; \
		for f in $$(echo "$$list" | grep '^Fuzz'); do \
			run="$(GO) test -run XXX -fuzz ^$$f\$$ -fuzztime $(FUZZTIME) $$p"; \
			echo "$$run"; $$run || $$run || failed="$$failed $$p:$$f"; \
		done; \
	done; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }
