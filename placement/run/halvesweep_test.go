package run

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/placement/machines"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// partsOf are the parts of an operation in each placement, with their nodes in the example's testbed.
var partsOf = map[string]map[string]string{
	"CH-SH":    {"application": "hostA", "server": "hostB"},
	"CH-SD":    {"application": "hostA", "server": "dpuB"},
	"CH-ED-SH": {"application": "hostA", "engine": "dpuB", "store": "hostB"},
	"CH-PD-SH": {"application": "hostA", "proxy": "dpuA", "server": "hostB"},
	"CH-PD-ED-SH": {
		"application": "hostA", "proxy": "dpuA", "engine": "dpuB", "store": "hostB",
	},
	"CH-EH-SD": {"application": "hostA", "engine": "hostB", "store": "dpuB"},
}

// TestHalvesSubmode measures the example of halves on machines made of namespaces. Every answer is
// checked, and the parts of each point are those of its placement.
func TestHalvesSubmode(t *testing.T) {
	needLab(t)
	if os.Getenv("SUBMODE_REQUIRE") == "" {
		t.Skip("measures for a minute: make test-lab runs it")
	}
	o := ofProbes(t, "")
	o.SweepFile, o.TestbedFile = "../../examples/split.yaml", "../../examples/netns.yaml"
	o.Set = "duration=300ms,warmup=50ms"
	runAll(t, o)
	points := validIn(t, o.Dir, (*runfolder.Run).Points)
	if want := 2 * (2 + 4*2); len(points) != want {
		t.Errorf("found %d points, want %d", len(points), want)
	}
	for i := range points {
		p := &points[i]
		if p.Status != results.StatusOK || p.Errors > 0 || !p.Emulated || p.Ops == 0 {
			t.Errorf("%s: status %s, %d errors, emulated %v, %d operations", p.ID, p.Status,
				p.Errors, p.Emulated, p.Ops)
		}
		checkParts(t, p)
		warned := p.Warnings.Has(results.PlaysPCIe)
		if split := p.Placement != "CH-SH" && p.Placement != "CH-SD"; warned != split {
			t.Errorf("%s: warned of lanes that play PCIe: %v, want %v", p.ID, warned, split)
		}
	}
}

// checkParts expects the parts of the placement, and that their CPU time adds up.
func checkParts(t *testing.T, p *results.Point) {
	t.Helper()
	want := partsOf[p.Placement]
	server, client, proxy, host := 0.0, 0.0, 0.0, 0.0
	for _, part := range p.Parts {
		if want[part.Part] != part.Node.Node {
			t.Errorf("%s: the %s ran on %q, want %q", p.ID, part.Part, part.Node.Node,
				want[part.Part])
		}
		if part.CPUNsPerOp <= 0 || part.SpunNsPerOp > part.CPUNsPerOp {
			t.Errorf("%s: %+v", p.ID, part)
		}
		switch part.Part {
		case kvs.PartApplication:
			client += part.CPUNsPerOp
		case kvs.PartProxy:
			proxy += part.CPUNsPerOp
		default:
			server += part.CPUNsPerOp
			if part.Node.Kind == testbed.KindHost {
				host += part.CPUNsPerOp
			}
		}
	}
	if len(p.Parts) != len(want) {
		t.Errorf("%s: found %d parts, want %d", p.ID, len(p.Parts), len(want))
	}
	near := func(name string, got, want float64) {
		if math.Abs(got-want) > 0.001*want+1e-6 {
			t.Errorf("%s: %s is %.1f ns, its parts %.1f", p.ID, name, got, want)
		}
	}
	near("server_cpu_ns_per_op", p.ServerCPUNsPerOp, server)
	near("client_cpu_ns_per_op", p.ClientCPUNsPerOp, client)
	near("the server's hosts and DPUs", p.ServerHostCPUNsPerOp+p.ServerDPUCPUNsPerOp, server)
	near("the client's hosts and DPUs", p.ClientHostCPUNsPerOp+p.ClientDPUCPUNsPerOp, client+proxy)
	near("server_host_cpu_ns_per_op", p.ServerHostCPUNsPerOp, host)
	hasLanes, hasProxy := want["store"] != "", want["proxy"] != ""
	if (p.Lanes != nil) != hasLanes || (p.ProxyLanes != nil) != hasProxy ||
		(p.Answers != "") != (hasLanes || hasProxy) || (p.EngineThreads > 0) != hasLanes {
		t.Errorf("%s: lanes %v and %v, answers %q, %d engine threads", p.ID, p.Lanes, p.ProxyLanes,
			p.Answers, p.EngineThreads)
	}
}

// TestLostHalf: a point whose half fails, fails soon. The reason names the node and the half, and no
// process stays behind.
func TestLostHalf(t *testing.T) {
	const bed = `nodes:
  app: {kind: host, via: local}
  dpuA: {kind: host, via: local}
  hostB: {kind: host, via: local}
  dpuB: {kind: host, via: local}
client_side: [app]
server_side: [hostB]
placements:
  HALVES: {clients: [app], proxy: dpuA, server: dpuB, store: hostB}
`
	for script, want := range map[string]string{
		"store@ready=failed": "node hostB: the address is taken",
		"store@ready=kill":   "node hostB: asked to start the store half of mica, it was killed",
		"store@serve=kill,engine@serve=failed,client@go=hang": "node hostB: ",
		"store@serve=kill,client@go=hang": "node hostB: asked to serve as the store half, it was " +
			"killed by signal 9",
		"engine@ready=die": "node dpuB: asked to start the engine of mica, it",
		"engine@serve=kill,client@go=hang": "node dpuB: asked to serve as the engine of mica, it was killed " +
			"by signal 9",
		"proxy@ready=failed": "node dpuA: the address is taken",
		"proxy@serve=kill,client@go=hang": "node dpuA: asked to serve as the proxy, it was killed by " +
			"signal 9",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			o, _, pids := fakeOptions(t, script)
			write(t, &o, "placement: HALVES\nget_ratio: 1\nclient_threads: 1\nduration: 10ms\nwarmup: 0s\n"+
				"repeats: 1\nkeys: 10\n", bed)
			failsFor(t, o, pids, 4, want)
		})
	}
}

// TestKilledHalfSubmode kills a real half in the middle of a load. The reason begins with it, and goes
// on with what the others saw of it.
func TestKilledHalfSubmode(t *testing.T) {
	needLab(t)
	if os.Getenv("SUBMODE_REQUIRE") == "" {
		t.Skip("measures for a minute: make test-lab runs it")
	}
	text := strings.Replace(shortPoints, "[mica, herd]", "mica", 1) + "placement: CH-PD-ED-SH\n"
	for at, role := range map[string]string{"hostB": "store half", "dpuB": "engine", "dpuA": "proxy"} {
		t.Run(at, func(t *testing.T) {
			o := inLab(t, strings.Replace(text, "300ms", "20s", 1), nil)
			var gone time.Time
			o.observe = func(event string, _ *sweep.Point, m *machines.Machines) {
				if event == "go" {
					time.Sleep(200 * time.Millisecond)
					killNode(t, m, at)
					gone = time.Now()
				}
			}
			plan := must.Get(NewPlan(o))(t)
			sum, err := plan.Run(t.Context())
			if err == nil || len(sum.Failed) != 1 {
				t.Fatalf("got %+v, %v, want one point that fails", sum, err)
			}
			got := sum.Failed[0].Reason
			t.Log(time.Since(gone), got)
			if !strings.HasPrefix(got, "node "+at+": ") || !strings.Contains(got, "was killed by signal 9") ||
				!strings.Contains(got, role) || strings.Count(got, "signal 9") > 1 {
				t.Errorf("the reason is\n  %s, want that it begins with node %s, and names the %s", got, at, role)
			}
			if left := nodesOf(o.command[0]); left != nil {
				t.Errorf("processes %v were left behind", left)
			}
		})
	}
}

// nodesOf returns the processes of nodes that run a program.
func nodesOf(program string) (pids []string) {
	for _, pid := range processesOf(program) {
		if args, _ := os.ReadFile("/proc/" + pid + "/cmdline"); strings.Contains(string(args), "\x00node\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killNode kills the process of the only node in a machine of a lab.
func killNode(t *testing.T, m *machines.Machines, at string) {
	t.Helper()
	inside := m.SubmodeNode(m.Bed.Node(at))
	net, err := inside.Run(t.Context(), []string{"readlink", "/proc/self/ns/net"})
	if err != nil {
		t.Error(err)
		return
	}
	killed := 0
	for _, pid := range nodesOf(m.Command[0]) {
		if its, _ := os.Readlink("/proc/" + pid + "/ns/net"); its == strings.TrimSpace(string(net)) {
			n, _ := strconv.Atoi(pid)
			if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
			killed++
		}
	}
	if killed != 1 {
		t.Errorf("found %d nodes in %s, want 1", killed, at)
	}
}
