package runfolder

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/folder"
	"dpukv/results"
)

// Writer is a run folder that a sweep writes. It holds the folder's lock, and belongs to one
// goroutine.
type Writer struct {
	*Run
	points, env, starts *journal

	done    map[string]bool
	repairs []string
	seals   bool     // Close writes head.json
	made    []string // folders that Create made, the outer ones first
}

// Create makes dir a run folder for a sweep and a testbed, each verbatim (testbed nil: there is
// none). dir may exist if it is empty, or left over by a Create that did not finish.
func Create(dir string, sweep, testbed []byte) (*Writer, error) {
	w, err := create(dir, sweep, testbed)
	if err != nil {
		return nil, fmt.Errorf("create run folder %s: %w", dir, err)
	}
	return w, nil
}

func create(dir string, sweep, testbed []byte) (*Writer, error) {
	made := missing(dir)
	in, err := folder.Create(dir)
	if err != nil {
		return nil, err
	}
	if err := checkUnused(in); err != nil {
		return nil, err
	}
	w, err := openWriter(&Run{in})
	if err != nil {
		return nil, err
	}
	w.made = made
	// Check again: before this process took the lock, another sweep may have done the same.
	err = checkUnused(in)
	if err == nil && w.points.size > 0 {
		err = fmt.Errorf("it holds points but no %s, which describes their measurement", sweepFile)
	}
	if err == nil {
		err = w.fill(sweep, testbed)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// checkUnused refuses a folder that holds a run, or files that no unfinished Create leaves.
func checkUnused(in *folder.Folder) error {
	entries, err := in.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := strings.TrimSuffix(e.Name(), ".tmp"); name {
		case testbedFile, startsFile, envFile, pointsFile, histFolder, figFolder, headFile:
		case sweepFile:
			if name == e.Name() {
				return errors.New("it is a run folder already: continue that run, or use another " +
					"folder")
			}
		default:
			return fmt.Errorf("it holds %s, which belongs to no run: use an empty or a new folder",
				e.Name())
		}
	}
	return in.CheckLinks(".")
}

// fill makes the folder a run folder.
func (w *Writer) fill(sweep, testbed []byte) error {
	for _, name := range []string{histFolder, figFolder} {
		if err := w.in.Mkdir(name); err != nil {
			return err
		}
	}
	if err := writeRequests(w.in, sweep, testbed); err != nil {
		return err
	}
	return w.continueChains()
}

// Resume opens a run folder to continue it. It cuts off half-written last lines: see
// [Writer.Repairs].
func Resume(dir string) (*Writer, error) {
	run, err := Open(dir)
	if err != nil {
		return nil, err
	}
	w, err := openWriter(run)
	if err == nil {
		if err = w.continueChains(); err != nil {
			err = errors.Join(err, w.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("continue run folder %s: %w", dir, err)
	}
	return w, nil
}

func openWriter(run *Run) (*Writer, error) {
	w := &Writer{Run: run, done: make(map[string]bool)}
	if err := w.open(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *Writer) open() error {
	var err error
	if w.points, err = openJournal(w.in, pointsFile); err != nil {
		return err
	}
	// The lock comes before any reading: another sweep may be in the middle of a line.
	if err = lock(w.points.f); err != nil {
		return err
	}
	if w.env, err = openJournal(w.in, envFile); err != nil {
		return err
	}
	if w.starts, err = openJournal(w.in, startsFile); err != nil {
		return err
	}
	for _, j := range w.journals() {
		did, err := j.repair()
		if err != nil {
			return err
		}
		if did != "" {
			w.repairs = append(w.repairs, did)
		}
	}
	return w.findDone()
}

func (w *Writer) findDone() error {
	points, _, err := w.readPoints()
	for i := range points {
		w.done[points[i].ID] = points[i].Status == results.StatusOK
	}
	return err
}

// Repairs describes the half-written lines that [Resume] repaired.
func (w *Writer) Repairs() []string { return w.repairs }

// Done reports whether the point with this ID has been measured. A point that failed has not: a
// sweep measures it again.
func (w *Writer) Done(id string) bool { return w.done[id] }

// Append adds a point and its histogram log (nil: it has none), and returns once both are on the
// disk. It writes the log first: a readable point always has its histograms. After an error the
// folder holds the points it held before. Append refuses a point that is done.
func (w *Writer) Append(p *results.Point, hlog []byte) error {
	if err := results.CheckID(p.ID); err != nil {
		return err
	}
	if w.done[p.ID] {
		return fmt.Errorf("point %s is measured already, and %s is never rewritten",
			p.ID, pointsFile)
	}
	line := encodable(p)
	line.HlogBytes, line.HlogCRC32C, line.Chain = 0, "", ""
	if hlog != nil {
		line.HlogBytes, line.HlogCRC32C = int64(len(hlog)), checksum(hlog)
		if err := w.in.Replace(histName(p.ID), hlog); err != nil {
			return w.appendError("the histograms of point "+p.ID, err)
		}
	}
	if err := w.points.append(line); err != nil {
		return w.appendError("point "+p.ID, err)
	}
	w.done[p.ID] = p.Status == results.StatusOK
	return nil
}

// AppendEnv adds the facts of one node to env.jsonl, as one JSON object. A sweep calls it at each
// start and resume: the machine may have changed in between.
func (w *Writer) AppendEnv(node any) error {
	if err := w.env.append(node); err != nil {
		return w.appendError("a node", err)
	}
	return nil
}

// AppendStart adds a start or a continuation of the sweep to starts.jsonl, as one JSON object. A
// sweep calls it once, before all else.
func (w *Writer) AppendStart(start any) error {
	if err := w.starts.append(start); err != nil {
		return w.appendError("the start", err)
	}
	return nil
}

func (w *Writer) appendError(what string, err error) error {
	return fmt.Errorf("%s could not be added to run folder %s, which keeps "+
		"its earlier content: %w",
		what, w.Dir(), err)
}

// Check fails if somebody else changed the written files.
func (w *Writer) Check() error {
	if err := errors.Join(w.points.check(), w.env.check(), w.starts.check()); err != nil {
		return fmt.Errorf("run folder %s: %w", w.Dir(), err)
	}
	return nil
}

// Close writes head.json and gives the folder's lock back.
func (w *Writer) Close() error {
	var errs []error
	if w.seals {
		errs, w.seals = append(errs, w.seal()), false
	}
	for _, j := range slices.Backward(w.journals()) {
		if j != nil {
			errs = append(errs, j.f.Close())
		}
	}
	return errors.Join(errs...)
}

// journals returns the files that the writer adds lines to, that with the lock first.
func (w *Writer) journals() []*journal { return []*journal{w.points, w.env, w.starts} }
