package verify

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
)

// whole is a run folder of three points with histogram logs, and the digest of its end.
func whole(t *testing.T) (*runfolder.Run, string) {
	t.Helper()
	w, err := runfolder.Create(filepath.Join(t.TempDir(), "run"), []byte("store: mica\n"), []byte("nodes: []\n"))
	must.Do(t, err)
	for _, node := range []string{"server", "client"} {
		must.Do(t, w.AppendEnv(map[string]any{"node": node, "kind": "host", "version": "v0.1.0"}))
	}
	for i, id := range []string{"a", "b", "c"} {
		p, log := measured(t, id, i)
		must.Do(t, w.Append(&p, log))
	}
	must.Do(t, errors.Join(w.AppendStart(map[string]any{"argv": []string{"dpukv", "sweep"}}), w.Close()))
	digest := must.Get(w.Digest())(t)
	return w.Run, digest
}

// measured is a point whose figures are those of its log.
func measured(t *testing.T, id string, n int) (results.Point, []byte) {
	t.Helper()
	p := resultstest.LocalPoint(resultstest.WithID(id))
	p.StartedAt = p.StartedAt.Add(time.Duration(n) * time.Minute)
	var log []results.Interval
	for i := range 3 {
		for _, tag := range []string{results.TagIntended, results.TagActual} {
			h := results.NewHistogram()
			for us := range 200 {
				results.Record(h, int64(us+1)*1000*int64(n+1))
			}
			at := p.StartedAt.Add(time.Duration(i) * time.Second)
			log = append(log, results.Interval{Tag: tag, Start: at, End: at.Add(time.Second), Histogram: h})
		}
	}
	all := must.Get(results.MergeTag(log, results.TagActual))(t)
	p.Ops, p.Gets, p.Hits, p.Misses = 600, 600, 600, 0
	p.ThroughputOps = float64(p.Ops) / (float64(p.DurationNs) / 1e9)
	p.Latency, p.Actual = results.LatencyOf(all), results.LatencyOf(all)
	p.ServerNode = results.Node{Node: "server", Kind: "host"}
	p.Clients = []results.ClientShare{{
		Node: results.Node{Node: "client", Kind: "host"},
		Ops:  p.Ops, ThroughputOps: p.ThroughputOps, Latency: p.Latency,
	}}
	return p, must.Get(results.EncodeHlog(log))(t)
}

func outcomes(t *testing.T, r *runfolder.Run, o Options) (wrong, unknown []string) {
	t.Helper()
	report := must.Get(Folder(r, o))(t)
	for _, c := range report.Checks {
		switch c.Outcome {
		case Wrong:
			wrong = append(wrong, c.Name)
		case Unknown:
			unknown = append(unknown, c.Name)
		}
		if (c.Outcome == Wrong) != (len(c.Faults) > 0) {
			t.Errorf("%s is %s, with the faults %q", c.Name, c.Outcome, c.Faults)
		}
	}
	return wrong, unknown
}

func replace(from, to string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.Replace(b, []byte(from), []byte(to), 1) }
}

// lines changes the order of the lines.
func lines(order ...int) func([]byte) []byte {
	return func(b []byte) (out []byte) {
		all := bytes.SplitAfter(b, []byte("\n"))
		for _, n := range order {
			out = append(out, all[n]...)
		}
		return out
	}
}

func asked(_ *runfolder.Run, points []results.Point) (faults []string, err error) {
	for i := range points {
		if points[i].ValueBytes != 8 {
			faults = append(faults, points[i].ID)
		}
	}
	return faults, nil
}

func flipped(b []byte) []byte {
	b[len(b)-9] ^= 1
	return b
}

func cut(b []byte) []byte { return b[:len(b)-9] }

// TestUncoveredFilesAreListed: what no digest covers is in one row, wherever it lies.
func TestUncoveredFilesAreListed(t *testing.T) {
	r, digest := whole(t)
	row := func() Check {
		t.Helper()
		report := must.Get(Folder(r, Options{Expected: digest, Request: asked}))(t)
		return report.Checks[len(report.Checks)-1]
	}
	if c := row(); c.Outcome != OK || c.Found != "no file" {
		t.Errorf("nothing added: found %+v", c)
	}
	for _, name := range []string{
		"report.html", "figures/a.svg", "figures/more/b.png", "notes.txt", "more/points.jsonl",
		"sources/1/sweep.yaml", "sources/1/else",
	} {
		path := filepath.Join(r.Dir(), name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, nil, 0o666))
	}
	const want = "no digest covers more/points.jsonl, notes.txt, report.html, sources/1/else, 2 files in figures/"
	if c := row(); c.Outcome != Unknown || c.Found != want {
		t.Errorf("found %+v, want %s", c, want)
	}
}

func TestEdits(t *testing.T) {
	_, ofC := measured(t, "c", 2)
	for name, c := range map[string]struct {
		file string
		edit func([]byte) []byte
		want string // wrong checks, besides the digest
	}{
		"none":                     {"points.jsonl", bytes.Clone, ""},
		"a digit of a throughput":  {"points.jsonl", replace(`throughput_ops":120,`, `throughput_ops":120.5,`), "chain throughput"},
		"throughput of a client":   {"points.jsonl", replace(`600,"throughput_ops":120,`, `600,"throughput_ops":121,`), "chain throughput"},
		"a count":                  {"points.jsonl", replace(`"ops":600,"gets"`, `"ops":601,"gets"`), "chain schema throughput latency"},
		"a percentile":             {"points.jsonl", replace(`"latency_p99_ns":198`, `"latency_p99_ns":197`), "chain latency"},
		"a mean":                   {"points.jsonl", replace(`"latency_mean_ns":1005`, `"latency_mean_ns":1004`), "chain latency"},
		"a requested value":        {"points.jsonl", replace(`"value_bytes":8`, `"value_bytes":9`), "chain request"},
		"a node of a point":        {"points.jsonl", replace(`"node":"server"`, `"node":"sxrver"`), "chain nodes"},
		"a version":                {"points.jsonl", replace(`"client_version":"v0.1.0"`, `"client_version":"v0.2.0"`), "chain nodes"},
		"a warning":                {"points.jsonl", replace(`"warnings":[]`, `"warnings":["x"]`), "chain"},
		"the first line removed":   {"points.jsonl", lines(1, 2), "chain end"},
		"a line removed":           {"points.jsonl", lines(0, 2), "chain end"},
		"the last line removed":    {"points.jsonl", lines(0, 1), "end"},
		"lines swapped":            {"points.jsonl", lines(1, 0, 2), "chain order"},
		"a line repeated":          {"points.jsonl", lines(0, 0, 1, 2), "lines chain end"},
		"half a line":              {"points.jsonl", cut, "lines end"},
		"a log":                    {"hist/b.hlog", flipped, "logs latency"},
		"a log of another point":   {"hist/b.hlog", func([]byte) []byte { return ofC }, "logs latency"},
		"a log shortened":          {"hist/b.hlog", func(b []byte) []byte { return b[:len(b)/2] }, "logs latency"},
		"a node's name":            {"env.jsonl", replace(`"node":"client"`, `"node":"cli"`), "chain nodes"},
		"a node removed":           {"env.jsonl", lines(0), "end nodes"},
		"the sweep":                {"sweep.yaml", replace("mica", "herd"), "chain"},
		"the testbed":              {"testbed.yaml", replace("[]", "[ ]"), "chain"},
		"the command":              {"starts.jsonl", replace("sweep", "swept"), "chain"},
		"the head":                 {"head.json", replace(`"lines": 3`, `"lines": 2`), "end"},
		"a digest":                 {"points.jsonl", replace(`"chain":"`, `"chain":"0`), "chain"},
		"a head that is no object": {"head.json", func([]byte) []byte { return nil }, "end"},
	} {
		t.Run(name, func(t *testing.T) {
			r, digest := whole(t)
			path := filepath.Join(r.Dir(), c.file)
			before := must.Get(os.ReadFile(path))(t)
			after := c.edit(bytes.Clone(before))
			if bytes.Equal(before, after) != (c.want == "") {
				t.Fatalf("the edit does nothing:\n%.3000s", before)
			}
			must.Do(t, os.WriteFile(path, after, 0o666))
			wrong, _ := outcomes(t, r, Options{Expected: digest, Request: asked})
			wrong = slices.DeleteFunc(wrong, func(name string) bool { return name == "digest" })
			if got := strings.Join(wrong, " "); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// rewritten is a folder with edited points whose digests and head somebody computed anew.
func rewritten(t *testing.T, edit func(*results.Point)) *runfolder.Run {
	t.Helper()
	from, _ := whole(t)
	points, _, err := from.Points()
	must.Do(t, err)
	env, _, err := from.Env()
	if err != nil {
		t.Fatal(err)
	}
	w, err := runfolder.Create(filepath.Join(t.TempDir(), "run"), []byte("store: mica\n"), []byte("nodes: []\n"))
	must.Do(t, err)
	for _, line := range env {
		must.Do(t, w.AppendEnv(line))
	}
	for i := range points {
		edit(&points[i])
		log := must.Get(os.ReadFile(filepath.Join(from.Dir(), "hist", points[i].ID+".hlog")))(t)
		must.Do(t, w.Append(&points[i], log))
	}
	must.Do(t, w.Close())
	return w.Run
}

// TestComputedAnew: the chain does not show an edit after which all digests were computed anew. The
// counts and the digest from elsewhere do.
func TestComputedAnew(t *testing.T) {
	_, digest := whole(t)
	r := rewritten(t, func(p *results.Point) { p.P99Ns++ })
	if wrong, _ := outcomes(t, r, Options{Expected: digest}); strings.Join(wrong, " ") != "digest latency" {
		t.Errorf("found %q", wrong)
	}
	r = rewritten(t, func(p *results.Point) { p.Warnings = results.ReadWarnings("hidden") })
	if wrong, unknown := outcomes(t, r, Options{}); wrong != nil || !slices.Contains(unknown, "digest") {
		t.Errorf("without a digest: wrong %q, unknown %q", wrong, unknown)
	}
	if wrong, _ := outcomes(t, r, Options{Expected: digest}); strings.Join(wrong, " ") != "digest" {
		t.Errorf("with the digest: wrong %q", wrong)
	}
}

// TestOlderBuild: a folder without digests is checked as far as it goes.
func TestOlderBuild(t *testing.T) {
	r := must.Get(runfolder.Open("../testdata/run-2026"))(t)
	wrong, unknown := outcomes(t, r, Options{})
	if wrong != nil || strings.Join(unknown, " ") != "chain end digest request uncovered" {
		t.Errorf("wrong %q, unknown %q", wrong, unknown)
	}
}

// TestKilledSweep: lines after the head, or none, are not wrong.
func TestKilledSweep(t *testing.T) {
	r, _ := whole(t)
	w := must.Get(runfolder.Resume(r.Dir()))(t)
	defer w.Close()
	p, log := measured(t, "d", 3)
	must.Do(t, w.Append(&p, log))
	wrong, unknown := outcomes(t, r, Options{Request: asked})
	if wrong != nil || strings.Join(unknown, " ") != "end digest" {
		t.Errorf("wrong %q, unknown %q", wrong, unknown)
	}
	must.Do(t, os.WriteFile(filepath.Join(r.Dir(), "hist", "e.hlog"), log, 0o666))
	wrong, unknown = outcomes(t, r, Options{Request: asked})
	if wrong != nil || strings.Join(unknown, " ") != "end digest logs" {
		t.Errorf("wrong %q, unknown %q", wrong, unknown)
	}
}
