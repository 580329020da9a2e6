package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results/resultstest"
)

// goldenBed has placements of every kind on this machine.
const goldenBed = `nodes:
  a: {via: local}
  b: {via: local}
  c: {via: local}
client_side: a
server_side: b
placements:
  WHOLE: {clients: [a, c], server: b}
  SPLIT: {clients: [a], server: c, store: b}
  PROXIED: {clients: [a], proxy: c, server: b}
  BOTH: {clients: [a], proxy: c, server: c, store: b}
`

// goldenSweeps have a point of everything that a trial does differently.
var goldenSweeps = map[string]string{
	"quick": "", // the built-in sweep
	"placements": `placement: [WHOLE, SPLIT, PROXIED, BOTH]
get_ratio: 0.5
keys: 1000
server_threads: 1
client_threads: 1
repeats: 1
`,
	"beside": `neighbour: cpu
get_ratio: 1
keys: 1000
server_threads: 1
client_threads: 1
repeats: 1
`,
	"probes": `measure: [{memory: {node: [b], test: [latency], block_bytes: [4KiB]}}, {network: {test: [rr]}}, {verbs: {test: [latency], op: [write]}}]
repeats: 1
`,
}

// unsteady are keys that a point has or lacks by chance: shares of time and counts that may be 0.
var unsteady = []string{
	"stolen", "others_share", "interrupt", "resent", "late_ops", "unsent", "unanswered", "energy", "_interval",
	"lower_bound", "lag", "warnings", "idle", "spun", "retransmit", "cool_down", "bound",
	"hash_samples", "frames_per_write", "stages", "compared_gets",
}

// TestGoldenPoints: the points of a sweep have the same IDs and JSON keys as ever. Those who read
// run folders depend on both. The file names the sweeps that have a key.
func TestGoldenPoints(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures some thirty points")
	}
	var lines []string
	in := map[string][]string{} // sweeps by key
	for _, name := range slices.Sorted(maps.Keys(goldenSweeps)) {
		keys := map[string]bool{}
		for _, p := range goldenPoints(t, goldenSweeps[name]) {
			lines = append(lines, fmt.Sprintf("%s %s", name, p["id"]))
			keysOf(keys, "", p)
		}
		for key := range keys {
			in[key] = append(in[key], name)
		}
	}
	slices.Sort(lines)
	for _, key := range slices.Sorted(maps.Keys(in)) {
		lines = append(lines, key+": "+strings.Join(in[key], " "))
	}
	resultstest.Golden(t, "points.txt", []byte(strings.Join(lines, "\n")+"\n"))
}

// goldenPoints runs a sweep and returns its measured points as they are in the folder.
func goldenPoints(t *testing.T, text string) (points []map[string]any) {
	t.Helper()
	o := realOptions(t, text, goldenBed)
	o.Set = "duration=100ms,warmup=10ms"
	if o.Quick = text == ""; o.Quick {
		o.SweepFile = ""
	}
	runAll(t, o)
	lines := must.Get(os.ReadFile(filepath.Join(o.Dir, "points.jsonl")))(t)
	for line := range strings.Lines(string(lines)) {
		var p map[string]any
		must.Do(t, json.Unmarshal([]byte(line), &p))
		if p["status"] == "ok" { // else runAll tried it again
			points = append(points, p)
		}
	}
	return points
}

// keysOf collects the keys in a value, with those that they are in.
func keysOf(of map[string]bool, in string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, value := range v {
			name := in + key
			if slices.ContainsFunc(unsteady, func(u string) bool { return strings.Contains(name, u) }) {
				continue
			}
			of[name] = true
			keysOf(of, name+".", value)
		}
	case []any:
		for _, value := range v {
			keysOf(of, in, value)
		}
	}
}
