package placement

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var updateIDs = flag.Bool("update-ids", false, "write testdata/ids.golden anew")

// TestIDsStayTheSame compares the IDs of many points, and their order, with those of the build
// that introduced them: a run that an older build began can be continued only with the same IDs.
func TestIDsStayTheSame(t *testing.T) {
	var b strings.Builder
	for _, text := range []string{
		"repeats: 1",
		"repeats: 3\nseed: 7\nget_ratios: [0, 0.3333333333333333, 1e-7]\nclient_threads: [1, 16]",
		"get_ratios: 1\nclient_threads: 1\nrates: [0, 1e6, 12.5, 1e12, 0.0000001]\ndist: [uniform, zipf:0.99]",
		"stores: [mica, herd, memcached, redis]\nget_ratios: 0.5\nclient_threads: 2\nrepeats: 1",
		"stores: [mica, herd]\nget_ratios: 1\nclient_threads: 1\nbatch: [1, 16]\nwindow: [1, 2]\nconnections: [1, 3]",
		"stores: herd\nkeys: [1, 4294967296]\nkey_bytes: [8, 255]\nvalue_bytes: [0, 65535]\nget_ratios: 1\nclient_threads: 1",
		"hash: [xxh64, none, city64]\nmode: [cache, store]\naccess: [erew, crew, crcw]\nget_ratios: 1\nclient_threads: 1",
		"stores: memcached\nprotocol: [meta, binary]\nget_ratios: 1\nclient_threads: 1\nrepeats: 2",
		"stores: redis\nattach: 192.0.2.7:6379\nget_ratios: 1\nclient_threads: 1\nrepeats: 2",
		"placements: [CH-SH, CDH-SH]\nsubmodes: [sm1, off-path]\nfilters: [none, \"drop-client:192.0.2.1\"]\nget_ratios: 1\nclient_threads: [4]",
		"duration: 10s\nwarmup: 0s\nseed: 9223372036854775807\nget_ratios: 1\nclient_threads: 1",
		"server_threads: [1, 2, 1024]\nget_ratios: 0.95\nclient_threads: [1024]",
	} {
		s, err := ParseSweep("sweep.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("# " + strings.ReplaceAll(text, "\n", " | ") + "\n")
		for _, pt := range s.Points() {
			b.WriteString(pt.ID + "\n")
		}
	}
	const file = "testdata/ids.golden"
	if *updateIDs {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("the IDs changed: no run begun before can be continued. Got\n%s", got)
	}
}

// TestOptionalKeysLeaveIDsAlone: the default of a key that older builds lacked is in no ID.
func TestOptionalKeysLeaveIDsAlone(t *testing.T) {
	ids := func(text string) (ids []string) {
		s, err := ParseSweep("sweep.yaml", []byte("rates: 1e6\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		for _, pt := range s.Points() {
			ids = append(ids, pt.ID)
		}
		return ids
	}
	without, both := ids(""), ids("arrivals: [constant, poisson]\n")
	if !slices.Equal(without, ids("arrivals: constant\n")) {
		t.Error("the default of arrivals changes IDs")
	}
	if len(both) != 2*len(without) {
		t.Errorf("%d points with two values of arrivals, %d with one", len(both), len(without))
	}
	for _, id := range without {
		if !slices.Contains(both, id) {
			t.Errorf("%s is gone from the wider sweep", id)
		}
	}
}
