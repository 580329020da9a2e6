package redis

import (
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/certs"
	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipetest"
	"dpukv/kvs/kvstest"
)

// TestSlots compares slots with those of the cluster specification and of CLUSTER KEYSLOT.
func TestSlots(t *testing.T) {
	if got := crc16([]byte("123456789")); got != 0x31c3 {
		t.Errorf("the specification's CRC: got %#x", got)
	}
	for key, want := range map[string]uint16{
		"foo": 12182, "somekey": 11058, "foo{hash_tag}": 2515, "bar{hash_tag}": 2515,
		"{user1000}.following": slotOf([]byte("user1000")),
		"foo{}{bar}":           crc16([]byte("foo{}{bar}")) % slots,
		"foo{{bar}}zap":        slotOf([]byte("{bar")),
		"foo{bar}{zap}":        slotOf([]byte("bar")),
		"}{":                   crc16([]byte("}{")) % slots,
	} {
		if got := slotOf([]byte(key)); got != want {
			t.Errorf("%s: got %d, want %d", key, got, want)
		}
	}
}

func TestParseTopology(t *testing.T) {
	line := func(addr, flags, slots string) string {
		return strings.TrimSpace("id "+addr+" "+flags+" - 0 0 1 connected "+slots) + "\n"
	}
	good := line(":6379@16379", "myself,master", "0-5460 5462") +
		line("10.0.0.2:6379@16379,name", "master", "5461 5463-16383") +
		line("10.0.0.3:6379@16379", "slave", "")
	topology := must.Get(parseTopology(good, "10.0.0.1:6379"))(t)
	if want := []string{"10.0.0.1:6379", "10.0.0.2:6379"}; !slices.Equal(topology.masters, want) {
		t.Errorf("masters %v, want %v", topology.masters, want)
	}
	for slot, want := range map[int]uint16{0: 0, 5460: 0, 5461: 1, 5462: 0, 5463: 1, 16383: 1} {
		if got := topology.slots[slot]; got != want {
			t.Errorf("slot %d: node %d, want %d", slot, got, want)
		}
	}
	for text, want := range map[string]string{
		"":                                       "16384 of 16384 slots without a node",
		"a b\n":                                  "a node of 2 fields",
		line("h:1@2", "master", "0-16382"):       "1 of 16384 slots",
		line("h:1@2", "master,fail?", "0-16383"): "in the state fail?",
		line("h:1@2", "master", "0-16383 [5->-abc]"):            "a slot that moves",
		line("h:1@2", "master", "0-16384"):                      "the slots",
		line("h:1@2", "master", "5-4"):                          "the slots",
		line(":1@2", "master", "0-16383"):                       "allowed: HOST:PORT",
		line("h:1@2", "master", strings.Repeat("0-16383 ", 20)): "",
	} {
		_, err := parseTopology(text, "h:1")
		pipetest.Refused(t, err, want)
	}
}

func FuzzTopology(f *testing.F) {
	f.Add("id h:1@2 myself,master - 0 0 1 connected 0-16383\n")
	f.Fuzz(func(t *testing.T, text string) {
		topology, err := parseTopology(text, "h:1")
		if err != nil {
			return
		}
		for slot, node := range topology.slots {
			if int(node) >= len(topology.masters) {
				t.Fatalf("slot %d has the node %d of %d", slot, node, len(topology.masters))
			}
		}
	})
}

// cluster runs a cluster of three masters, and returns their addresses.
func cluster(t *testing.T, start func(args ...string) string, cli ...string) []string {
	t.Helper()
	programs.Need(t, "redis-cli")
	var addrs []string
	for range 3 {
		addrs = append(addrs, start("--cluster-enabled", "yes", "--cluster-node-timeout", "15000",
			"--cluster-port", pipetest.FreePort(t)))
	}
	ask := func(addr string, words ...string) string {
		t.Helper()
		host, port, _ := net.SplitHostPort(addr)
		args := slices.Concat([]string{"-h", host, "-p", port}, cli, words)
		out, err := exec.Command("redis-cli", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("redis-cli %v: %s", args, out)
		}
		return string(out)
	}
	ranges := []string{"0 5460", "5461 10922", "10923 16383"}
	for i, addr := range addrs {
		ask(addr, append([]string{"cluster", "addslotsrange"}, strings.Fields(ranges[i])...)...)
		_, bus, _ := strings.Cut(ask(addrs[0], "cluster", "nodes"), "@")
		bus, _, _ = strings.Cut(bus, " ")
		host, port, _ := net.SplitHostPort(addrs[0])
		if i > 0 {
			ask(addr, "cluster", "meet", host, port, strings.Split(bus, ",")[0])
		}
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		good := 0
		for _, addr := range addrs {
			info := ask(addr, "cluster", "info")
			if strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_size:3") {
				good++
			}
		}
		if good == len(addrs) {
			return addrs
		}
		if time.Now().After(deadline) {
			t.Fatal("the nodes form no cluster:", ask(addrs[0], "cluster", "nodes"))
		}
	}
}

// TestCluster checks every operation against a cluster, its facts, and what it refuses.
func TestCluster(t *testing.T) {
	addrs := cluster(t, func(args ...string) string { return run(t, args...) })
	r := dial(t, addrs[1], Options{})
	f := r.Facts()
	if !equalSets(f.ClusterNodes, addrs) || f.Workers != 3 || f.Partitions != 3 || f.PID != 0 {
		t.Errorf("the facts say %+v, want the nodes %v", f, addrs)
	}
	kvstest.Conform(t, r, kvstest.Limits{})
	t.Run("spread", func(t *testing.T) { spread(t, r) })
	t.Run("refused", func(t *testing.T) {
		_, err := Dial(t.Context(), addrs[0], Options{Protocol: MGet})
		pipetest.Refused(t, err, "MGET takes keys of one slot only")
		_, err = Dial(t.Context(), "redis://"+addrs[0]+"/1", Options{})
		pipetest.Refused(t, err, "database 1")
	})
	t.Run("moved", func(t *testing.T) { moved(t, r) })
}

// spread checks that every node answers, and that the counters are those of all.
func spread(t *testing.T, r *Remote) {
	before := must.Get(r.Stats())(t)
	s := kvstest.Open(t, r, kvs.SessionOptions{Batch: 8, Window: 2, Connections: 2})
	var sets []kvs.Request
	for i := range 3000 {
		sets = append(sets, kvs.Request{Op: kvs.Set, Key: fmt.Appendf(nil, "spread %d", i), Value: []byte("v")})
	}
	kvstest.Do(t, s, nil, sets)
	after := must.Get(r.Stats())(t)
	for i := range after.Workers {
		if n := after.Workers[i].Ops - before.Workers[i].Ops; n < 900 || n > 1100 {
			t.Errorf("node %d did %d operations, want about 1000", i, n)
		}
	}
	if n := after.Ops() - before.Ops(); n != 3000 {
		t.Errorf("all nodes did %d operations, want 3000", n)
	}
}

// moved checks that a slot which moves during a measurement is an error with what to do.
func moved(t *testing.T, r *Remote) {
	s := kvstest.Open(t, r, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1})
	key := []byte("moved")
	from := r.slots.node(key)
	to := r.nodes[(from+1)%len(r.nodes)]
	id := must.Get(to.control.say("CLUSTER", "MYID"))(t)
	for _, n := range r.nodes {
		must.Get(n.control.say("CLUSTER", "SETSLOT", fmt.Sprint(slotOf(key)), "NODE", id[0]))(t)
	}
	_, err := pipetest.Try(s, &kvs.Request{Op: kvs.Get, Key: key})
	pipetest.Refused(t, err, "measure again once it is stable")
}

func equalSets(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// TestClusterTLS checks every operation against a cluster with TLS and a password.
func TestClusterTLS(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds, and others test clusters, and TLS")
	}
	files := certs.New(t)
	addrs := cluster(t, func(args ...string) string {
		return runTLS(t, &files, append(args, "--tls-cluster", "yes", "--tls-replication", "yes",
			"--requirepass", password, "--masterauth", password)...)
	}, "--tls", "--cacert", files.CA, "--cert", files.ClientCert, "--key", files.ClientKey,
		"--no-auth-warning", "-a", password)
	c := pipetest.Credentials(password)
	c.TLS = withClient(t, &files)
	r := dial(t, "rediss://"+addrs[0], Options{Credentials: c})
	if f := r.Facts(); !equalSets(f.ClusterNodes, addrs) || f.Transport != "tcp+tls" {
		t.Errorf("the facts say %+v, want the nodes %v", f, addrs)
	}
	kvstest.Conform(t, r, kvstest.Limits{})
}

func BenchmarkSlotOf(b *testing.B) {
	key := []byte("12345678")
	for b.Loop() {
		slotOf(key)
	}
}
