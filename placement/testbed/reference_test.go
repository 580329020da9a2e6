package testbed

import (
	"strings"
	"testing"

	"dpukv/internal/strictyaml"
)

func TestKeysAreDescribed(t *testing.T) {
	for _, section := range Keys() {
		for _, k := range section.Keys {
			if !strings.HasSuffix(k.Help, ".") || k.Allowed == "" || k.Default == "" || k.Example == "" {
				t.Errorf("%s, %s: found %+v, want no empty field", section.Of, k.Name, k)
			}
		}
	}
}

// TestExamplesOfKeysAreAllowed reads each key's example as the reader of its mapping does.
func TestExamplesOfKeysAreAllowed(t *testing.T) {
	read := func(name, text string, each func(*testbedReader, strictyaml.Entry)) {
		t.Helper()
		r := testbedReader{
			File: strictyaml.File{Name: name}, t: Testbed{where: map[string]strictyaml.Position{}},
			sides: map[string]strictyaml.Position{},
		}
		for _, e := range r.Parse([]byte(text)) {
			each(&r, e)
		}
		if len(r.Faults) > 0 {
			t.Errorf("%s: %v", text, r.Err())
		}
	}
	for i := range nodeKeys {
		k := &nodeKeys[i]
		read("node", k.Name+": "+k.Example, func(r *testbedReader, e strictyaml.Entry) {
			k.read(r, new(Node), e)
		})
	}
	for _, k := range rdmaKeys {
		read("rdma", "rdma: {"+k.Name+": "+k.Example+"}",
			func(r *testbedReader, e strictyaml.Entry) { r.rdma(e) })
	}
	for _, k := range datapathKeys {
		read("datapath", "datapath: {"+k.Name+": "+k.Example+"}",
			func(r *testbedReader, e strictyaml.Entry) { r.datapath(e) })
	}
	for _, k := range placementKeys {
		read("placement", "placements: {MINE: {"+k.Name+": "+k.Example+"}}",
			func(r *testbedReader, e strictyaml.Entry) { r.readPlacements(e) })
	}
}

func TestExampleOfFileIsAllowed(t *testing.T) {
	nodes := "nodes: {hostA: {}, dpuA: {kind: dpu, of: hostA, via: ssh, address: a}, " +
		"hostB: {}, dpuB: {kind: dpu, of: hostB, via: ssh, address: b}}\n"
	for _, k := range testbedKeys[1:] {
		nodes += k.Name + ": " + k.Example + "\n"
	}
	if _, err := Parse("example.yaml", []byte(nodes)); err != nil {
		t.Error(err)
	}
}
