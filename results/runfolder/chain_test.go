package runfolder

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results/resultstest"
)

// chainedRun is a closed run folder of three points, two nodes and a start.
func chainedRun(t *testing.T) *Run {
	t.Helper()
	w := newRun(t)
	must.Do(t, errors.Join(w.AppendStart(map[string]any{"argv": []string{"dpukv", "sweep"}}),
		w.AppendEnv(map[string]any{"node": "server"}), w.AppendEnv(struct{}{})))
	for _, id := range []string{"a", "b", "c"} {
		mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID(id)))
	}
	must.Do(t, w.Close())
	return w.Run
}

// faults returns what the chains and the head say of a folder.
func faults(t *testing.T, r *Run) (found []string) {
	t.Helper()
	chains := must.Get(r.Chains())(t)
	head := must.Get(r.Head())(t)
	for i := range chains {
		if l := chains[i].Broken(); l != nil {
			found = append(found, chains[i].File+": chain")
		}
		if head == nil {
			continue
		}
		if more, wrong := head.Compare(&chains[i]); wrong != nil {
			found = append(found, chains[i].File+": head")
		} else if more > 0 {
			found = append(found, chains[i].File+": more")
		}
	}
	return found
}

func swapped(b []byte) []byte {
	lines := bytes.SplitAfter(b, []byte("\n"))
	lines[0], lines[1] = lines[1], lines[0]
	return bytes.Join(lines, nil)
}

func withoutLine(n int) func(b []byte) []byte {
	return func(b []byte) []byte {
		lines := bytes.SplitAfter(b, []byte("\n"))
		return bytes.Join(append(lines[:n:n], lines[n+1:]...), nil)
	}
}

// other replaces a word by another one of its length.
func other(word string) func([]byte) []byte {
	return func(b []byte) []byte {
		return bytes.Replace(b, []byte(word), bytes.Repeat([]byte("x"), len(word)), 1)
	}
}

func withLine(line string) func([]byte) []byte {
	return func(b []byte) []byte { return append(b, line+"\n"...) }
}

func TestChainShowsEdits(t *testing.T) {
	digit := func(b []byte) []byte {
		return bytes.Replace(b, []byte(`"throughput_ops":1500000`), []byte(`"throughput_ops":1600000`), 1)
	}
	for name, c := range map[string]struct {
		file string
		edit func([]byte) []byte
		want string
	}{
		"nothing":              {pointsFile, bytes.Clone, ""},
		"a digit":              {pointsFile, digit, "points.jsonl: chain"},
		"a line swapped":       {pointsFile, swapped, "points.jsonl: chain"},
		"the first line lost":  {pointsFile, withoutLine(0), "points.jsonl: chain"},
		"a middle line lost":   {pointsFile, withoutLine(1), "points.jsonl: chain"},
		"the last line lost":   {pointsFile, withoutLine(2), "points.jsonl: head"},
		"all lines lost":       {pointsFile, func([]byte) []byte { return nil }, "points.jsonl: head"},
		"a node renamed":       {envFile, other("server"), "env.jsonl: chain"},
		"another command":      {startsFile, other("sweep"), "starts.jsonl: chain"},
		"another sweep":        {sweepFile, func(b []byte) []byte { return append(b, '#') }, "points.jsonl: chain"},
		"another testbed":      {testbedFile, func(b []byte) []byte { return append(b, '#') }, "points.jsonl: chain"},
		"a line without chain": {pointsFile, withLine(`{"schema":1}`), "points.jsonl: more"},
	} {
		t.Run(name, func(t *testing.T) {
			r := chainedRun(t)
			before := must.Get(r.Digest())(t)
			edit(t, r, c.file, c.edit)
			found := strings.Join(faults(t, r), ", ")
			if (c.want == "") != (found == "") || !strings.Contains(found, c.want) {
				t.Errorf("found %q, want %q", found, c.want)
			}
			after, err := r.Digest()
			if err != nil || (c.want == "") != (after == before) {
				t.Errorf("digest %s, was %s, %v", after, before, err)
			}
		})
	}
}

func TestChainIsContinued(t *testing.T) {
	r := chainedRun(t)
	edit(t, r, pointsFile, func(b []byte) []byte { return append(b, `{"schema":1,"id":"torn`...) })
	must.Do(t, os.Remove(filepath.Join(r.Dir(), headFile))) // as after a kill
	w := must.Get(Resume(r.Dir()))(t)
	if n := len(w.Repairs()); n != 1 {
		t.Errorf("repairs %q", w.Repairs())
	}
	mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("d")))
	must.Do(t, errors.Join(w.AppendEnv(struct{}{}), w.Close()))
	head, err := r.Head()
	if err != nil || head == nil || head.Files[pointsFile].Lines != 4 || head.Files[envFile].Lines != 3 {
		t.Errorf("head %+v, %v", head, err)
	}
	if found := faults(t, r); found != nil {
		t.Errorf("found %q", found)
	}
	if digest, err := r.Digest(); err != nil || digest != head.Digest {
		t.Errorf("digest %s, %v, want %s", digest, err, head.Digest)
	}
}

func TestResumeNamesAnEdit(t *testing.T) {
	r := chainedRun(t)
	edit(t, r, pointsFile, swapped)
	w := must.Get(Resume(r.Dir()))(t)
	defer w.Close()
	if got := w.Repairs(); len(got) != 1 || !strings.Contains(got[0], "points.jsonl, line 1: found the digest ") {
		t.Errorf("repairs %q", got)
	}
}

// TestChainOfAnOlderBuild: lines without a digest are covered by the next line that has one.
func TestChainOfAnOlderBuild(t *testing.T) {
	r := chainedRun(t)
	edit(t, r, pointsFile, func(b []byte) []byte {
		var old []byte
		for line := range bytes.Lines(b) {
			content, _ := unchained(bytes.TrimSuffix(line, []byte("\n")))
			old = append(append(old, content...), '\n')
		}
		return old
	})
	must.Do(t, os.Remove(filepath.Join(r.Dir(), headFile)))
	w := must.Get(Resume(r.Dir()))(t)
	mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("d")))
	if err := w.Close(); err != nil || len(w.Repairs()) > 0 {
		t.Fatal(err, w.Repairs())
	}
	if found := faults(t, r); found != nil {
		t.Errorf("found %q", found)
	}
	edit(t, r, pointsFile, func(b []byte) []byte {
		return bytes.Replace(b, []byte(`"ops":7500000`), []byte(`"ops":7500001`), 1)
	})
	if found := strings.Join(faults(t, r), ", "); !strings.Contains(found, "points.jsonl: chain") {
		t.Errorf("found %q", found)
	}
}

// TestLineOfAnotherFolder: a line that is copied from a folder gets a digest of its own.
func TestLineOfAnotherFolder(t *testing.T) {
	from, to := chainedRun(t), newRun(t)
	points, _, err := from.Points()
	must.Do(t, err)
	env := must.Get(os.ReadFile(filepath.Join(from.Dir(), envFile)))(t)
	line, _, _ := bytes.Cut(env, []byte("\n"))
	mustAppend(t, to, points[1])
	must.Do(t, errors.Join(to.AppendEnv(rawLine(line)), to.Close()))
	if found := faults(t, to.Run); found != nil {
		t.Errorf("found %q", found)
	}
	got, _, err := to.Points()
	if err != nil || got[0].Chain == points[1].Chain {
		t.Errorf("found the digest of the other folder, %v", err)
	}
}

// rawLine is a line that is written as it is.
type rawLine []byte

func (l rawLine) MarshalJSON() ([]byte, error) { return l, nil }
