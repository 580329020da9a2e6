package merge_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/claims"
	"dpukv/results/merge"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
	"dpukv/results/verify"
)

// logOf is a histogram log with one latency.
func logOf(t *testing.T, ns int64) []byte {
	t.Helper()
	h := results.NewHistogram()
	must.Do(t, h.RecordValue(ns))
	log := must.Get(results.EncodeHlog([]results.Interval{
		{Tag: results.TagIntended, Start: time.Unix(1, 0), End: time.Unix(2, 0), Histogram: h},
	}))(t)
	return log
}

// folder is a run folder of points on one machine: one a second, and one that failed.
func folder(t *testing.T, machine string, ids ...string) *runfolder.Run {
	t.Helper()
	sweep := []byte("store: mica # " + machine + "\n")
	w := must.Get(runfolder.Create(filepath.Join(t.TempDir(), machine), sweep, []byte("nodes: []\n")))(t)
	env := map[string]any{"node": "server", "kind": "dpu", "generation": machine}
	errs := []error{w.AppendStart(map[string]any{"argv": []string{"dpukv"}}), w.AppendEnv(env)}
	for i, id := range ids {
		p := resultstest.LocalPoint(resultstest.WithID(id))
		p.Machine, p.StartedAt = machine, time.Unix(int64(100+i), 0).UTC()
		log := logOf(t, int64(1000*(i+1)+len(machine)))
		if strings.HasPrefix(id, "failed") {
			p.Status, p.Error, log = results.StatusFailed, "no route", nil
		}
		errs = append(errs, w.Append(&p, log))
	}
	must.Do(t, errors.Join(append(errs, w.Close())...))
	return w.Run
}

func mergeAll(t *testing.T, runs ...*runfolder.Run) (*merge.Summary, *runfolder.Run) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "both")
	s := must.Get(merge.Folders(out, runs))(t)
	run := must.Get(runfolder.Open(out))(t)
	return s, run
}

func ids(t *testing.T, run *runfolder.Run) (list []string) {
	t.Helper()
	points, bad, err := run.Points()
	if err != nil || len(bad) > 0 {
		t.Fatal(err, bad)
	}
	for i := range points {
		list = append(list, points[i].ID)
	}
	return list
}

func TestFolders(t *testing.T) {
	a, b := folder(t, "bf2", "one", "two", "failed"), folder(t, "bf3", "one", "three", "failed")
	s, run := mergeAll(t, a, b)
	got := ids(t, run)
	slices.Sort(got)
	if want := []string{"failed", "failed~2", "one", "one~2", "three", "two"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if s.Points != 6 || s.Copies != 0 || len(s.Renamed) != 2 || len(s.Warnings) != 0 {
		t.Errorf("found %+v", s)
	}
	for _, id := range []string{"one", "one~2", "two", "three"} {
		if intervals, err := run.Histograms(id); err != nil || len(intervals) != 1 {
			t.Errorf("%s: %v, %d intervals", id, err, len(intervals))
		}
	}
	sources, err := run.MergedFrom()
	digest, _ := a.Digest()
	if err != nil || len(sources) != 2 || sources[0].Digest != digest || sources[0].Chain != runfolder.ChainOK {
		t.Errorf("found the sources %+v, %v", sources, err)
	}
	if sweep, err := run.Requests(2, &sources[1]); err != nil || string(sweep) != "store: mica # bf3\n" {
		t.Errorf("found the sweep %q, %v", sweep, err)
	}
	runs, _, err := claims.OpenRun(run)
	if err != nil || len(runs) != 2 || len(runs[1].Points) != 3 || runs[1].Generations[0] != "bf3" {
		t.Errorf("found the evidence %+v, %v", runs, err)
	}
}

// TestVerified: a merged folder has a chain of its own, which also covers the sources' sweeps.
func TestVerified(t *testing.T) {
	_, run := mergeAll(t, folder(t, "bf2", "one"), folder(t, "bf3", "one"))
	report := must.Get(verify.Folder(run, verify.Options{}))(t)
	for _, c := range report.Checks {
		if slices.Contains([]string{"lines", "chain", "end", "order", "logs"}, c.Name) && c.Outcome != verify.OK {
			t.Errorf("%+v", c)
		}
	}
	sources := must.Get(run.MergedFrom())(t)
	path := filepath.Join(run.Dir(), "sources", "1", "sweep.yaml")
	must.Do(t, os.WriteFile(path, []byte("store: herd\n"), 0o600))
	_, err := run.Requests(1, &sources[0])
	must.Fail(t, err, "a file was changed")
}

func TestCopiesBecomeOne(t *testing.T) {
	a := folder(t, "bf2", "one", "two")
	copied := filepath.Join(t.TempDir(), "copy")
	must.Do(t, os.CopyFS(copied, os.DirFS(a.Dir())))
	b := must.Get(runfolder.Open(copied))(t)
	s, run := mergeAll(t, a, b)
	if got := ids(t, run); s.Copies != 2 || len(got) != 2 {
		t.Errorf("found %q, %+v", got, s)
	}
}

func TestDamageIsNamed(t *testing.T) {
	a, b := folder(t, "bf2", "one", "two"), folder(t, "bf3", "three")
	must.Do(t, os.Remove(filepath.Join(a.Dir(), "hist", "two.hlog")))
	must.Do(t, os.WriteFile(filepath.Join(b.Dir(), "sweep.yaml"), []byte("x: 1\n"), 0o600))
	s, run := mergeAll(t, a, b)
	said := strings.Join(s.Warnings, "\n")
	if s.Sources[1].Chain != runfolder.ChainBroken || len(ids(t, run)) != 3 ||
		!strings.Contains(said, "point two is without its histograms") ||
		!strings.Contains(said, "the folder was changed") {
		t.Errorf("found %+v", s)
	}
}

func TestRefusals(t *testing.T) {
	a, b := folder(t, "bf2", "one"), folder(t, "bf3", "one")
	_, merged := mergeAll(t, a, b)
	for name, c := range map[string]struct {
		out  string
		runs []*runfolder.Run
		want string
	}{
		"an existing folder": {t.TempDir(), []*runfolder.Run{a, b}, "found it already"},
		"a merged folder":    {filepath.Join(t.TempDir(), "c"), []*runfolder.Run{merged, a}, "found a merged folder"},
		"a folder twice":     {filepath.Join(t.TempDir(), "c"), []*runfolder.Run{a, a}, "found it twice"},
	} {
		_, err := merge.Folders(c.out, c.runs)
		if !errors.As(err, new(merge.Refused)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestJoinedByHand: points of files that somebody joined are all there, and named.
func TestJoinedByHand(t *testing.T) {
	a, b := folder(t, "bf2", "one", "two"), folder(t, "bf3", "one", "three")
	var joined []byte
	for _, run := range []*runfolder.Run{a, b, a} {
		lines := must.Get(os.ReadFile(filepath.Join(run.Dir(), "points.jsonl")))(t)
		joined = append(joined, lines...)
	}
	must.Do(t, os.WriteFile(filepath.Join(a.Dir(), "points.jsonl"), joined, 0o600))
	points, bad, err := a.Points()
	if err != nil || len(points) != 4 || points[2].ID != "one~2" || points[2].Machine != "bf3" {
		t.Errorf("found %d points, %v", len(points), err)
	}
	var said strings.Builder
	for _, b := range bad {
		said.WriteString(b.Said() + "\n")
	}
	must.Contain(t, said.String(),
		"points.jsonl: found point one 2 times with other content, allowed: once; it is kept as one~2",
		"left out points.jsonl: a copy of point two",
	)
}
