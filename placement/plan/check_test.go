package plan

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/testbeds"
	"dpukv/kvs"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

// refusal returns why a sweep of a file cannot be measured on a testbed.
func refusal(file string, bed *testbed.Testbed) error {
	s, err := sweep.Parse("s.yaml", []byte(file))
	if err != nil {
		return err
	}
	return errors.Join(Check(&s, bed, []int{0, 1}), sweep.CheckAttach(&s, &kvs.Credentials{}))
}

// parseTestbed reads a valid testbed.
func parseTestbed(t *testing.T, text string) testbed.Testbed {
	t.Helper()
	return must.Get(testbed.Parse("t.yaml", []byte(text)))(t)
}

func TestImpossibleCombinationsAreRefused(t *testing.T) {
	remote := parseTestbed(t, testbeds.RealMachines)
	axis := "1"
	for i := range 1000 {
		axis += fmt.Sprintf(", %d", i+2)
	}
	elsewhere := testbed.Local()
	elsewhere.Nodes[1].CPUs = []int{7}
	for _, test := range []struct {
		name, sweep string
		testbed     testbed.Testbed
		want        string
	}{
		{
			"a DPU that is not there", "placement: [CH-SH, CD-SH]\n", testbed.Local(),
			"s.yaml:1:20: placement: CD-SH runs the client on a dpu, and client_side of testbed local has none",
		},
		{
			"no such placement", "placement: CH-SX\n", testbed.Local(),
			"s.yaml:1:12: placement: found CH-SX (did you mean CH-SH?), allowed: CH-SH, CD-SH, CDH-SH, CH-SD, " +
				"CD-SD, L-CD-SH, CH-ED-SH, CH-PD-SH, CH-PD-ED-SH, CH-EH-SD (a testbed " +
				"file may have its own",
		},
		{
			"the server's own DPU", "placement: L-CD-SH\n", remote,
			"L-CD-SH runs the client on the DPU in the host hostB, and server_side of testbed t.yaml has " +
				"none (only hostB)",
		},
		{
			"no device", "store: herd\n", remote,
			"t.yaml:5:3: node hostB: found no rdma device, allowed: rdma: {device: NAME} with a NIC's name",
		},
		{
			"a submode", "submode: sm1\n", testbed.Local(),
			"s.yaml:1:10: submode: sm1 with CH-SH: found no DPU in server, allowed: a testbed with a node {kind: " +
				"dpu, of: server}",
		},
		{"a CPU that is not there", "", elsewhere, "node server: CPU 7 is not one this process may use (0-1)"},
		{
			"more keys than there are names", "key_bytes: 1\n", testbed.Local(),
			"key_bytes 1 allows only 256 different keys",
		},
		{
			"a schedule of a closed loop", "keys: 10\narrivals: [poisson]\n", testbed.Local(),
			"s.yaml:2:12: arrivals: found poisson with rate 0",
		},
		{
			"two ends of a period", "requests: 1000\nduration: 1s\n", testbed.Local(),
			"s.yaml:2:11: duration: found 1s, and requests in each point, allowed: one of the two",
		},
		{
			"requests that clients can't share", "placement: CDH-SH\nrequests: [1000, 1001]\n", remote,
			"s.yaml:2:18: requests: found 1001 with 2 clients, allowed: a multiple of 2",
		},
		{
			"reconnects over verbs", "store: herd\nreconnect_every: 5\n", testbed.Local(),
			"s.yaml:2:18: reconnect_every: found 5 with herd, allowed: 0; connections reopen over TCP",
		},
		{
			"reconnects on a datapath", "submode: sm1\nreconnect_every: [0, 5]\n", remote,
			"s.yaml:2:22: reconnect_every: found 5 with submode sm1, allowed: 0",
		},
		{
			"a neighbour of a server that ran already",
			"store: redis\nattach: \"127.0.0.1:6379\"\nneighbour: [none, cpu]\n", testbed.Local(),
			"s.yaml:3:19: neighbour: found cpu with attach, allowed: none",
		},
		{
			"a batch that no frame holds", "batch: [64, 65536]\n", testbed.Local(),
			"s.yaml:1:13: batch: found 65536, allowed: at most",
		},
		{
			"a product without end", "keys: [" + axis + "]\nwindow: [" + axis + "]\n",
			testbed.Local(),
			"the sweep has 1000000 points or more",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			must.Fail(t, refusal(test.sweep, &test.testbed), test.want)
		})
	}
	d, local := sweep.Default(), testbed.Local()
	must.Do(t, Check(&d, &local, []int{0, 1}))
}

func TestExampleTestbeds(t *testing.T) {
	for _, name := range []string{"local", "netns", "netns-onpath", "bluefield", "slurm", "ssh", "kubectl"} {
		text := must.Get(os.ReadFile("../../examples/" + name + ".yaml"))(t)
		bed := parseTestbed(t, string(text))
		must.Do(t, refusal("store: [mica, herd]\n", &bed))
	}
}

// TestTooFewPorts: a server with more ports than its node's range is refused before anything starts,
// with the number that it needs.
func TestTooFewPorts(t *testing.T) {
	bed := parseTestbed(t, "ports: 7000-7001\nnodes:\n  a: {}\n  b: {}\n  c: {ports: 7000-7003}\n"+
		"client_side: a\nserver_side: b\nplacements:\n  MORE: {clients: [a], server: c}\n"+
		"  HALVES: {clients: [a], server: c, store: b}\n  ONE: {clients: [a], server: b, store: b, proxy: b}\n")
	for file, want := range map[string]string{
		"store: mica\nserver_threads: 2\n":                    "",
		"store: herd\nserver_threads: 4\n":                    "",
		"store: mica\nserver_threads: 4\nplacement: [MORE]\n": "",
		"store: mica\nserver_threads: [1, 4]\n": "node b: ports: found 7000-7001 (2), allowed: at least 4 for a " +
			"server of mica with server_threads: 4",
		"server_threads: 2\nengine_threads: 4\nplacement: HALVES\n": "",
		"server_threads: 2\nengine_threads: 6\nplacement: HALVES\n": "node c: ports: found 7000-7003 (4), allowed: " +
			"at least 6 for an engine of mica with 6 threads",
		"server_threads: 1\nplacement: ONE\n": "at least 3 for an engine of mica with 1 threads, and for the store " +
			"half, and for the proxy",
	} {
		must.Fail(t, refusal(file, &bed), want)
	}
}

// TestRefusalsOfStores: values that a store cannot have are refused with their place.
func TestRefusalsOfStores(t *testing.T) {
	local := testbed.Local()
	for file, want := range map[string]string{
		"store: memcached\nkey_bytes: 187\n": "s.yaml:1:8: key_bytes: found 187, " +
			"allowed by memcached's meta protocol: at most 186",
		"store: [mica, memcached]\naccess: erew\n": "s.yaml:1:15: access: found erew, allowed: crcw",
		"store: redis\naccess: crew\n":             "s.yaml:1:8: access: found crew, allowed: erew",
		"store: mica\naccess: crcw\n":              "crcw",
		"store: memcached\nkey_bytes: 8-187\n":     "allowed by memcached's meta protocol: at most 186",
		"store: herd\nmix: etc\n": "s.yaml:1:8: value_bytes: found 65535 with keys of 186, allowed: a sum " +
			"that fits a slot",
		"store: redis\nbatch: 5000\n":                          "batch: found 5000",
		"store: mica\nattach: 127.0.0.1:1\n":                   "attach: found the stores [mica]",
		"store: [memcached, redis]\nattach: 127.0.0.1:11211\n": "attach: found the stores [memcached redis]",
		"store: memcached\nkey_bytes: 251\nprotocol: binary\n": "allowed by memcached: at most 250",
		"store: [mica, redis]\nprotocol: mget\n": "s.yaml:2:11: protocol: found mget with mica, " +
			"allowed: default",
		"store: redis\nprotocol: [default, binary]\n": "s.yaml:2:21: protocol: found binary with redis, allowed: " +
			"default, get, mget",
		"store: redis\nprotocol: morse\n": `found "morse", allowed: default, with memcached meta, binary, with redis get, mget`,
		"store: [redis, mica]\nhash: none\n": "s.yaml:2:7: hash: found none with mica, whose server wants its " +
			"clients' hashes, allowed: city32",
		"store: redis\nattach: here\n":      `found "here", allowed: HOST:PORT`,
		"store: [mica, herd]\nwindow: 64\n": "s.yaml:1:15: window: found 64 batches of 32",
		"store: herd\nvalue_bytes: 5000\n":  "s.yaml:1:8: value_bytes: found 5000",
		"store: herd\naccess: crew\n":       "s.yaml:1:8: access: found crew",
		"store: [mica, herd]\nbatch: 2048\nkeys: 10000\nhash: xxh64\n": "batch: found 2048, allowed: at most 1024, " +
			"which is what herd takes",
	} {
		must.Fail(t, refusal(file, &local), want)
	}
}
