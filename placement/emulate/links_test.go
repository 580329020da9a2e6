package emulate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"

	"golang.org/x/sys/unix"
)

// packets opens a UDP socket on a machine. The socket sends no packet larger than the path's MTU.
func packets(t *testing.T, l *Lab, machine string) *net.UDPConn {
	t.Helper()
	var c *net.UDPConn
	var err error
	on(t, l, machine, func() { c, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(l.Address(machine))}) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	option(t, c, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DO)
	c.SetReadDeadline(time.Now().Add(5 * time.Second))
	return c
}

func option(t *testing.T, c *net.UDPConn, level, name, value int) {
	t.Helper()
	raw, err := c.SyscallConn()
	if err == nil {
		err = errors.Join(raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), level, name, value) }), err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sendTrain sends bytes that the kernel cuts into packets of one size.
func sendTrain(t *testing.T, from, to *net.UDPConn, segment int, bytes []byte) {
	t.Helper()
	option(t, from, unix.IPPROTO_UDP, unix.UDP_SEGMENT, segment)
	_, err := from.WriteTo(bytes, to.LocalAddr())
	if errors.Is(err, unix.EIO) {
		t.Skip("before Linux 6.11 the kernel cuts UDP only for interfaces with checksum offload: trains without it " +
			"were not sent")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestTrains: UDP trains and TCP arrive whole over all cables, whoever computes the checksums. The
// RoCE device sends UDP in one piece for the kernel to cut (UDP_SEGMENT), with its path MTU of 1024
// and 60 bytes of headers.
func TestTrains(t *testing.T) {
	t.Parallel()
	for _, offloads := range []string{On, Off} {
		t.Run(offloads, func(t *testing.T) {
			spec := study(NoProfile)
			spec.Offloads = offloads
			l := startLab(t, spec)
			transfer(t, l, "host-a", "host-b", 4<<20)
			if got := l.Facts().Offloads; got != offloads {
				t.Errorf("offloads %s", got)
			}
			from, to := packets(t, l, "dpu-a"), packets(t, l, "dpu-b")
			const segment, n = 1084, 32
			for train := range 20 {
				bytes := make([]byte, segment*n)
				for i := range n {
					bytes[i*segment], bytes[i*segment+segment-1] = byte(i), byte(train)
				}
				sendTrain(t, from, to, segment, bytes)
				for i := range n {
					k, err := to.Read(bytes)
					if err != nil || k != segment || bytes[0] != byte(i) || bytes[k-1] != byte(train) {
						t.Fatalf("train %d, packet %d: %d bytes, %v", train, i, k, err)
					}
				}
			}
		})
	}
}

// TestOffloads: with offloads, interfaces count a train as one packet; without, as on a wire.
func TestOffloads(t *testing.T) {
	t.Parallel()
	for _, offloads := range []string{On, Off} {
		want := map[string]uint64{On: 1, Off: 10}[offloads]
		spec := study(NoProfile)
		spec.Offloads = offloads
		l := startLab(t, spec)
		from, to := packets(t, l, "host-a"), packets(t, l, "host-b")
		before := counters(t, l)
		sendTrain(t, from, to, 1000, make([]byte, 10_000))
		for range 10 {
			must.Get(to.Read(make([]byte, 2000)))(t)
		}
		for _, name := range []string{"host-a/eth0", "card-host-a/wire", "card-host-b/pf0"} {
			// ARP, seldom
			if got := counters(t, l)[name].TxPackets - before[name].TxPackets; got < want || got > want+3 {
				t.Errorf("offloads %s: %s sent %d packets, want %d", offloads, name, got, want)
			}
		}
	}
}

// TestMTU: the links carry packets of the requested MTU, and no larger ones.
func TestMTU(t *testing.T) {
	t.Parallel()
	for _, mtu := range []int{0, 4200, 9000} {
		spec := study(NoProfile)
		spec.MTU = mtu
		l := startLab(t, spec)
		mtu = spec.mtu()
		if got := l.Facts().MTU; got != mtu {
			t.Errorf("MTU %d, want %d", got, mtu)
		}
		from, to := packets(t, l, "host-a"), packets(t, l, "dpu-b")
		const headers = 20 + 8
		if _, err := from.WriteTo(make([]byte, mtu-headers), to.LocalAddr()); err != nil {
			t.Errorf("MTU %d: %v", mtu, err)
		}
		if n, err := to.Read(make([]byte, mtu)); err != nil || n != mtu-headers {
			t.Errorf("MTU %d: %d bytes arrive, %v", mtu, n, err)
		}
		if _, err := from.WriteTo(make([]byte, mtu-headers+1), to.LocalAddr()); !errors.Is(err, unix.EMSGSIZE) {
			t.Errorf("MTU %d: a larger packet: %v", mtu, err)
		}
		transfer(t, l, "dpu-a", "host-b", 1<<20)
	}
}

// onPath returns the testbed of the study's on-path part: the server's DPU is on the path.
func onPath() Spec {
	spec := study(NoProfile)
	spec.Machines[3].OnPath = true
	return spec
}

// TestOnPath: the host is reached only through its DPU, once a datapath there connects p0 and
// pf0hpf.
func TestOnPath(t *testing.T) {
	t.Parallel()
	l := startLab(t, onPath())
	facts := l.Facts()
	if f := facts.machine("dpu-b"); fmt.Sprint(f.Interfaces) != "[p0 pf0hpf]" || f.Address != "" ||
		facts.Offloads != Off {
		t.Errorf("%+v, %+v", f, facts)
	}
	transfer(t, l, "dpu-a", "host-a", 1000)
	silent(t, l, "host-b") // nothing forwards
	programs.Need(t, "ip")
	for _, args := range []string{
		"link add br0 type bridge", "link set br0 up", "link set p0 master br0", "link set pf0hpf master br0",
	} {
		if out, err := command(t, l, "dpu-b",
			append([]string{"ip"}, strings.Fields(args)...)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v: %s", args, err, out)
		}
	}
	must.Do(t, l.Await(t.Context(), "host-a", "host-b"))
	before := counters(t, l)
	const n = 1 << 20
	transfer(t, l, "host-a", "host-b", n)
	for name, after := range counters(t, l) {
		machine, _, _ := strings.Cut(name, "/")
		if got := after.RxBytes - before[name].RxBytes; (machine == "dpu-b" || machine == "host-b") != (got >= n) &&
			machine[:4] != "card" && machine != "host-a" {
			t.Errorf("%s received %d bytes", name, got)
		}
	}
	if c, err := l.Counters("dpu-b"); err != nil || c != counters(t, l)["dpu-b/p0"] {
		t.Errorf("%+v, %v", c, err)
	}
	must.Do(t, l.CutOff("dpu-b"))
	silent(t, l, "host-b") // cut off at p0
	must.Do(t, l.Restore("dpu-b"))
	must.Do(t, l.Await(t.Context(), "host-a", "host-b"))
	transfer(t, l, "host-a", "host-b", n)
}

// TestAwait: Await gives up, says why, and blocks no other call.
func TestAwait(t *testing.T) {
	t.Parallel()
	l := startLab(t, onPath())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := l.Await(ctx, "host-a", "host-b"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nothing forwards: %v", err)
	}
	counters(t, l)
	for way, want := range map[[2]string]string{
		{"host-a", "dpu-b"}: "no address",
		{"me", "host-a"}:    "allowed: [host-a",
	} {
		if err := l.Await(t.Context(), way[0], way[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", way, err, want)
		}
	}
}

// TestDirect: the baseline of on-path is the same lab without the DPU.
func TestDirect(t *testing.T) {
	t.Parallel()
	spec := study(NoProfile)
	spec.Machines = spec.Machines[:3]
	spec.Machines[2].Direct, spec.Offloads = true, Off
	l := startLab(t, spec)
	transfer(t, l, "host-a", "host-b", 1<<20)
	must.Do(t, l.CutOff("host-b"))
}
