package run

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/killed"
	"dpukv/internal/test/kernel"
	"dpukv/placement/machines"
	"dpukv/placement/sweep"
)

// TestTheDeadAreNamedFirst: the reason begins with a member that ended by itself, even if the
// others' errors came first. It does not begin with a member that was told to end.
func TestTheDeadAreNamedFirst(t *testing.T) {
	const effect = "node client: some answers were wrong"
	// A deaf node gets as far as its step, and does not end when its input does.
	for script, want := range map[string]string{
		"client@go=failed point":                                effect,
		"client@go=failed point,server@stop=kill,@never=deaf":   "node server: its process was killed by signal 9",
		"client@go=failed point,server@stop=failed,@never=deaf": "node server: the address is taken; so that " + effect,
		"client@go=failed point,server@stop=hang,@never=deaf":   effect, // the test kills it here
		"client@go=failed point,server@stop=die,@never=deaf":    effect, // at its end it may do anything
		"client@go=kill":                   "node client: asked to measure for 10ms, it was killed by signal 9",
		"client@ready=kill":                "node client: asked to preload 10 keys, it was killed by signal 9",
		"server@ready=kill":                "node server: asked to start the mica server, it was killed by signal 9",
		"server@serve=kill,client@go=hang": "node server: asked to serve mica, it was killed by signal 9",
		"client@ready=failed preload,server@stop=die,@never=deaf": "node client: only 3 of 10 keys were found",
	} {
		if testing.Short() && strings.Contains(script, "deaf") && !strings.Contains(script, "stop=kill") {
			t.Log("a short run: one deaf node, for whose end the sweep waits")
			continue
		}
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			o, _, pids := fakeOptions(t, script)
			o.Only = "client_threads=1,get_ratio=1"
			patient(&o)
			if !strings.Contains(script, "stop=hang") {
				o.timeouts.Stop = 5 * time.Second // what a fake node does at its end comes first
			}
			failsFor(t, o, pids, 2, want)
		})
	}
}

// failsFor runs a sweep of one point, which fails, and whose reason begins as wanted. No process of it
// stays behind.
func failsFor(t *testing.T, o Options, pids string, processes int, want string) {
	t.Helper()
	sum, err := runFake(t, o)
	defer leaveNone(t, pids, processes)
	if err == nil || len(sum.Failed) != 1 {
		t.Fatalf("got %+v, %v, want one point that fails", sum, err)
	}
	if got := sum.Failed[0].Reason; !strings.HasPrefix(got, want) || strings.Count(got, "signal 9") > 1 {
		t.Errorf("the reason is\n  %s, want it to begin with\n  %s", got, want)
	}
}

// TestLostNeighbour: a point without the neighbour that it should have fails, and the reason names
// the neighbour. No process stays behind.
func TestLostNeighbour(t *testing.T) {
	for script, want := range map[string]string{
		"neighbour@ready=kill":   "node server: asked to work as the neighbour cache, it was killed by signal 9",
		"neighbour@ready=failed": "node server: the address is taken",
		"neighbour@work=kill,client@go=hang": "node server: asked to work as the neighbour cache, it was killed by " +
			"signal 9",
		"neighbour@work=quit,client@go=hang": "node server: asked to work as the neighbour cache, it ended",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			o, _, pids := fakeOptions(t, script)
			write(t, &o, "neighbour: cache\nget_ratio: 1\nclient_threads: 1\nduration: 10ms\nwarmup: 0s\n"+
				"repeats: 1\nkeys: 10\n", "")
			patient(&o)
			failsFor(t, o, pids, 3, want)
		})
	}
}

// TestNodeOutOfMemory: the kernel kills a node's own process for want of memory, and the process
// cannot say so. The reason has the kernel's count, and a remedy.
func TestNodeOutOfMemory(t *testing.T) {
	if !killed.Now().Known {
		t.Skip("this kernel does not count what it ends for want of memory")
	}
	t.Setenv(groupVariable, kernel.MemoryGroup(t, 64<<20))
	for _, role := range []string{"server@serve=eat,client@go=hang", "client@go=eat"} {
		o, _, pids := fakeOptions(t, role)
		o.Only = "client_threads=1,get_ratio=1"
		o.timeouts.Result = kernel.Timeout(30 * time.Second)
		sum, err := runFake(t, o)
		leaveNone(t, pids, 2)
		if err == nil || len(sum.Failed) != 1 {
			t.Fatalf("%s: got %+v, %v, want one point that fails", role, sum, err)
		}
		node, _, _ := strings.Cut(role, "@")
		got := sum.Failed[0].Reason
		if !strings.HasPrefix(got, "node "+node+": asked to ") ||
			!strings.Contains(got, "it was killed by signal 9: out of memory: ") ||
			!strings.Contains(got, "give it more") {
			t.Errorf("%s: the reason is %s", role, got)
		}
	}
}

// TestKilledServerIsNamed: a server program is killed in the middle of a point. The point's reason
// begins with the program and how it ended, not with the client's lost connection.
func TestKilledServerIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	needInstalled(t)
	for _, store := range []string{"memcached", "redis"} {
		t.Run(store, func(t *testing.T) {
			o := realOptions(t, "store: "+store+"\n"+strings.Replace(smallLoad, "300ms", "10s", 1), "")
			o.observe = func(event string, _ *sweep.Point, _ *machines.Machines) {
				if event == "go" {
					killServer(t, store)
				}
			}
			sum, err := runFake(t, o)
			if err == nil || len(sum.Failed) != 1 {
				t.Fatalf("got %+v, %v, want one point that fails", sum, err)
			}
			got := sum.Failed[0].Reason
			t.Log(got)
			if !strings.HasPrefix(got, "node server: the server ended: ") ||
				!strings.Contains(got, "was killed by signal 9") {
				t.Errorf("the reason is %s", got)
			}
		})
	}
}

// killServer ends the one server that a node of this test has started.
func killServer(t *testing.T, program string) {
	t.Helper()
	killed := 0
	for _, parent := range processesOf(os.Args[0]) {
		lists, _ := filepath.Glob("/proc/" + parent + "/task/*/children")
		for _, list := range lists {
			children, _ := os.ReadFile(list)
			for _, child := range strings.Fields(string(children)) {
				name, _ := os.ReadFile("/proc/" + child + "/comm")
				pid, err := strconv.Atoi(child)
				if err == nil && strings.HasPrefix(string(name), program) {
					if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
						t.Error(err)
					}
					killed++
				}
			}
		}
	}
	if killed != 1 {
		t.Errorf("found %d servers to kill, want 1", killed)
	}
}
