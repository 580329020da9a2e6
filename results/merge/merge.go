package merge

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"dpukv/results"
	"dpukv/results/runfolder"
)

// Refused is an error about the request: the folders that cannot be merged.
type Refused struct{ error }

func refused(format string, args ...any) error { return Refused{fmt.Errorf(format, args...)} }

// Summary is what became of the sources.
type Summary struct {
	Sources []runfolder.Source
	Points  int // in the merged folder
	// Copies are the points with the content of a point of an earlier source.
	Copies int
	// Renamed are the points with the ID of another point, by their new IDs.
	Renamed []string
	// Warnings name what is damaged in a source, and what is not in the merged folder.
	Warnings []string
}

// point is a point with the folder of its histogram log.
type point struct {
	results.Point
	from *runfolder.Run
	id   string // in that folder
}

// merger has the sources' content.
type merger struct {
	Summary
	runs   []*runfolder.Run
	points []point
	byID   map[string]map[runfolder.Content]bool
}

// Folders merges run folders into a new one.
func Folders(out string, runs []*runfolder.Run) (*Summary, error) {
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		return nil, refused("%s: found it already, allowed: a new folder; name another one", out)
	}
	m := &merger{runs: runs, byID: map[string]map[runfolder.Content]bool{}}
	for i := range runs {
		if err := m.read(i + 1); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(m.points, func(a, b point) int {
		return a.StartedAt.Compare(b.StartedAt)
	})
	out = filepath.Clean(out)
	parts, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+".")
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	defer os.RemoveAll(parts) // it is empty if all went well
	whole := filepath.Join(parts, "run")
	if err := m.write(whole); err != nil {
		return nil, err
	}
	if err := os.Rename(whole, out); err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	return &m.Summary, nil
}

// read takes the points of source n, counted from 1.
func (m *merger) read(n int) error {
	run := m.runs[n-1]
	source, err := m.source(n)
	if err != nil {
		return err
	}
	points, bad, err := run.All()
	if err != nil {
		return err
	}
	for _, b := range bad {
		m.warn(run, "%s", b.Said())
	}
	for i := range points {
		m.add(point{points[i], run, points[i].ID}, n)
	}
	source.Points = len(points)
	m.Sources = append(m.Sources, *source)
	return nil
}

// source checks the digests of a source.
func (m *merger) source(n int) (*runfolder.Source, error) {
	run := m.runs[n-1]
	of, err := run.MergedFrom()
	if err != nil {
		return nil, err
	}
	if of != nil {
		return nil, refused("%s: found a merged folder, allowed: folders of sweeps; name those "+
			"that it was merged from", run.Dir())
	}
	for _, other := range m.runs[:n-1] {
		if run.Same(other) {
			return nil, refused("%s: found it twice, allowed: each folder once", run.Dir())
		}
	}
	chains, err := run.Chains()
	if err != nil {
		return nil, err
	}
	s := &runfolder.Source{
		Folder: run.Dir(), Digest: runfolder.Digest(chains), Chain: runfolder.ChainOK,
	}
	if !runfolder.Chained(chains) {
		s.Chain = runfolder.ChainNone
	}
	for i := range chains {
		if l := chains[i].Broken(); l != nil {
			s.Chain = runfolder.ChainBroken
			m.warn(run, "%s, line %d: found the digest %s, its content has %s: the folder was "+
				"changed, see dpukv run verify", chains[i].File, l.Line, l.Found, l.Want)
		}
	}
	return s, nil
}

// add adds a point, unless an earlier source has it.
func (m *merger) add(p point, n int) {
	first, content := runfolder.FirstID(p.ID), runfolder.ContentOf(&p.Point)
	same := m.byID[first]
	if same == nil {
		same = map[runfolder.Content]bool{}
		m.byID[first] = same
	}
	if same[content] {
		m.Copies++
		return
	}
	same[content] = true
	p.ID, p.Source = runfolder.NextID(first, len(same)), n
	if p.ID != first {
		m.Renamed = append(m.Renamed, p.ID)
	}
	m.points = append(m.points, p)
}

func (m *merger) warn(run *runfolder.Run, format string, args ...any) {
	m.Warnings = append(m.Warnings, run.Dir()+": "+fmt.Sprintf(format, args...))
}
