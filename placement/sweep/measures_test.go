package sweep

import (
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

func sweepOf(t *testing.T, text string) Sweep {
	t.Helper()
	s := parsed(t, text)
	s.OnNodes([]string{"hostA", "hostB"})
	return s
}

const probing = "measure: [{memory: {test: [latency], block_bytes: [1KiB, 4KiB], pages: [4k]}}, kvs, " +
	"{network: {test: [stream], cores: [1], submode: [off-path, sm4]}}]\nrepeats: 2\nclient_threads: 1\nget_ratio: 1\n"

// TestMeasures: probes come before stores, each at its own places, and have IDs of their own.
func TestMeasures(t *testing.T) {
	s := sweepOf(t, probing)
	points := s.Points()
	var places []string
	ids := map[string]bool{}
	for _, pt := range points {
		places = append(places, strings.TrimSpace(pt.Measure+" "+pt.Placement+" "+pt.Submode))
		ids[pt.ID] = true
	}
	if len(ids) != len(points) || len(points) != 2*2*2+2*2+2 {
		t.Errorf("%d IDs of %d points", len(ids), len(points))
	}
	for _, want := range []string{"memory hostA", "memory hostB", "network CH-SH sm4", "CH-SH off-path"} {
		if !slices.Contains(places, want) {
			t.Errorf("no point is %q: %q", want, places)
		}
	}
	if first, last := points[0], points[len(points)-1]; !first.IsProbe() || last.IsProbe() {
		t.Errorf("the first is %s, the last %s", first.ID, last.ID)
	}
	if n := s.Size(MaxPoints); n != len(points) {
		t.Errorf("the size is %d of %d", n, len(points))
	}
}

// TestProbeID: the ID of a probe never changes.
func TestProbeID(t *testing.T) {
	s := sweepOf(t, "measure: {memory: {node: [hostB], test: [latency], block_bytes: [1KiB], pages: [4k]}}\n"+
		"repeats: 1\n")
	points := s.Points()
	if len(points) != 1 || points[0].ID != "memory-hostB-latency-1024-4k-1-03e7ea17-r1" {
		t.Errorf("got %v", points)
	}
}

// TestMeasureText: the text of the key reads back as the same sweep.
func TestMeasureText(t *testing.T) {
	for _, text := range []string{
		probing, "measure: memory\n", "measure: [memory, kvs]\n", "measure: kvs\n",
		"measure: {verbs: {placement: [CD-SH], op: [read]}}\n",
	} {
		s := sweepOf(t, text)
		again := sweepOf(t, string(s.Marshal()))
		if diff := Differences(&s, &again); diff != nil {
			t.Errorf("%s: %q", text, diff)
		}
	}
	a, b := sweepOf(t, "measure: memory\n"), sweepOf(t, "measure: network\n")
	diff := Differences(&a, &b)
	if len(diff) != 1 || !strings.Contains(diff[0], "measure is [memory] there, [network] here") {
		t.Errorf("got %q", diff)
	}
}

func TestWrongMeasures(t *testing.T) {
	for text, want := range map[string]string{
		"measure: memroy":                         `1:10: measure: found "memroy" (did you mean memory?)`,
		"measure: []":                             "measure: found an empty list",
		"measure: {memory: {blok_bytes: [1]}}":    `found the unknown axis "blok_bytes" (did you mean block_bytes?)`,
		"measure: {memory: {placement: [CH-SH]}}": "test, block_bytes, pages",
		"measure: {memory: {block_bytes: [1]}}":   `found "1", allowed: a size such as 64KiB, from 1KiB`,
		"measure: {network: {submode: [sm9]}}":    `network: submode: found "sm9"`,
		"measure: {network: {cores: [1, 1]}}":     "cores: found 1 a second time",
		"measure: [{memory: {}, network: {}}]":    "found 2 keys in one item, allowed: one kind in an item",
		"measure: [{kvs: {keys: 1}}]":             "allowed: memory, network, verbs",
	} {
		_, err := Parse("f.yaml", []byte(text))
		must.Fail(t, err, want)
	}
}

// TestSelectProbes: --only selects by kind and by place, and probes have no keys of stores.
func TestSelectProbes(t *testing.T) {
	s := sweepOf(t, probing)
	for only, want := range map[string]int{
		"measure=memory": 8, "measure=kvs": 2, "measure=network": 4, "submode=sm4": 2, "placement=hostA": 4,
		"get_ratio=1": 2, "repeat=1": 7,
	} {
		f := must.Get(ParseSelection(only, &s))(t)
		if got := len(f.Keep(s.Points())); got != want {
			t.Errorf("%s selects %d points, want %d", only, got, want)
		}
	}
	const want = "the sweep has: kvs, memory, network"
	_, err := ParseSelection("measure=verbs", &s)
	must.Fail(t, err, want)
}
