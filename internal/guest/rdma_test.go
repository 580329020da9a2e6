//go:build guest

package guest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestIBVerbs runs the provider's own tests inside the guest: its device talks with itself. The
// last test opens the device on a machine with a defect.
func TestIBVerbs(t *testing.T) {
	runInGuest(t, "dpukv/verbs/ibverbs", `
IBVERBS_REQUIRE=1 $TEST -test.skip '^TestRigged|^TestProbeSaysWhatIsMissing$'
IBVERBS_RIGGED=link-dummy0 $TEST -test.run '^TestRiggedPortGoesDown$'
ip link set dummy0 down
IBVERBS_RIGGED=port-down $TEST -test.run '^TestRiggedPortDown$'
mount -t tmpfs none /dev/infiniband
IBVERBS_RIGGED=no-file $TEST -test.run '^TestRiggedNoFile$'
umount /dev/infiniband
mount -t tmpfs none /etc/libibverbs.d
IBVERBS_RIGGED=no-driver $TEST -test.run '^TestRiggedNoDriver$'
`)
}

// TestPerf runs the microbenchmark in the guest. Its figures are those of an emulation on one CPU.
func TestPerf(t *testing.T) {
	runInGuest(t, "dpukv/verbs/perf", `
IBVERBS_REQUIRE=1 $TEST -test.run TestEveryOperation/ibverbs
PERF_LINK=dummy0 $TEST -test.run '^TestRiggedPortGoesDown$'
`)
}

// TestPerftest measures the guest's device with perftest and with the probe "verbs". The log has the
// ratio of both. User-mode Linux does not tell its CPU's frequency. Without one, perftest divides by
// 0; with a wrong one, it takes the frequency that it measures itself.
func TestPerftest(t *testing.T) {
	runInGuest(t, "dpukv/probe/rdma", `
printf 'cpu MHz : 1\n' >/run/cpuinfo
mount --bind /run/cpuinfo /proc/cpuinfo
PERFTEST_REQUIRE=1 $TEST -test.run '^TestBesidePerftest$'
`)
}

// jobLimit ends a guest that hangs. Its tests end before: they have 900 s, as CI runs other stages
// beside it.
const jobLimit = 16 * time.Minute

// runInGuest runs a package's tests in the guest; job calls them $TEST. A job names its tests, so a
// skip is a failure.
func runInGuest(t *testing.T, pkg, job string) {
	t.Helper()
	s := newSandbox(t)
	s.write(t, "job", "set -e\nTEST='"+s.build(t, pkg)+" -test.v=test2json -test.timeout 900s'\n"+job)
	s.run(t, s.boot("dummy0", guestAddr), jobLimit)
	report(t, s.guestOutput(t))
}

// TestInterop connects the software device on this side of a tap with the kernel's soft-RoCE on the
// other.
func TestInterop(t *testing.T) {
	p := newPeers(t)
	p.overTheWire(t, p.guest("TestServe"), p.host("TestDrive"))
}

// TestHERD runs a HERD server at one end and its client at the other, in both directions. In
// between, both run in the guest, whose link goes down.
func TestHERD(t *testing.T) {
	t.Run("server=rxe,client=softroce", func(t *testing.T) {
		p := newPeers(t)
		p.overTheWire(t, p.guest("TestHERDServe"), p.host("TestHERDDrive"))
	})
	t.Run("link=down", func(t *testing.T) {
		runInGuest(t, "dpukv/kvs/herd", "HERD_LINK=dummy0 $TEST -test.run '^TestRiggedPortGoesDown$'\n")
	})
	t.Run("server=softroce,client=rxe", func(t *testing.T) {
		p := newPeers(t)
		p.overTheWire(t, p.guest("TestHERDDrive"), p.host("TestHERDServe"))
	})
}

// TestOneSided runs a store whose clients read items, in both directions: rxe answers READs, and
// sends them.
func TestOneSided(t *testing.T) {
	t.Run("server=rxe,client=softroce", func(t *testing.T) {
		p := newPeers(t)
		p.overTheWire(t, p.guest("TestOneSidedServe"), p.host("TestOneSidedDrive"))
	})
	t.Run("server=softroce,client=rxe", func(t *testing.T) {
		p := newPeers(t)
		p.overTheWire(t, p.guest("TestOneSidedDrive"), p.host("TestOneSidedServe"))
	})
}

// peers is a sandbox with a test of package peer at either end of the wire.
type peers struct {
	*sandbox
	binary string
}

func newPeers(t *testing.T) *peers {
	t.Helper()
	s := newSandbox(t)
	return &peers{s, s.build(t, "dpukv/internal/guest/peer")}
}

// end is the command of one end. A server listens on the addresses that its client dials.
func (p *peers) end(test, device, local, remote string) string {
	at := remote
	if strings.HasSuffix(test, "Serve") {
		at = local
	}
	return fmt.Sprintf("DEVICE=%s ADDR=%s:7000 CONTROL=%s:7001 %s -test.run '^%s$' %s",
		device, at, at, p.binary, test, "-test.v=test2json -test.timeout 900s")
}

func (p *peers) guest(test string) string { return p.end(test, "ibverbs:rxe0", guestAddr, hostAddr) }

func (p *peers) host(test string) string {
	return p.end(test, "softroce:"+hostAddr, hostAddr, guestAddr)
}

// overTheWire runs both ends and reports the tests of both.
func (p *peers) overTheWire(t *testing.T, guest, host string) {
	t.Helper()
	p.write(t, "job", guest+"\n")
	// The output of this end tells its failure. The test waits for the guest's end all the same.
	here := host + " >" + p.path("host") + " 2>&1 || true"
	p.run(t, tapScript+p.boot("vec0", guestAddr)+" &\n"+here+"\nwait\n", jobLimit)
	t.Run("guest", func(t *testing.T) { report(t, p.guestOutput(t)) })
	t.Run("host", func(t *testing.T) { report(t, p.read(t, "host")) })
}
