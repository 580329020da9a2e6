package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dpukv/internal/foreign"
	"dpukv/internal/infile"
)

// The names in a run folder.
const (
	sweepFile   = "sweep.yaml"
	testbedFile = "testbed.yaml"
	envFile     = "env.jsonl"
	pointsFile  = "points.jsonl"
	histFolder  = "hist"
	figFolder   = "figures"
)

// ErrNotRun is wrapped by the errors of [Open] and [Resume] for a folder that holds no run.
var ErrNotRun = errors.New("not a run folder")

// Run is a run folder, for reading. It may be read while a sweep writes it.
type Run struct {
	dir string
}

// Open opens a run folder for reading.
func Open(dir string) (*Run, error) {
	_, err := os.Stat(filepath.Join(dir, sweepFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("results: %s: %w: it has no %s", dir, ErrNotRun, sweepFile)
	}
	if err != nil {
		return nil, fmt.Errorf("results: open run folder: %w", err)
	}
	return &Run{dir: dir}, nil
}

// Dir is the folder, as it was given.
func (r *Run) Dir() string { return r.dir }

// FiguresDir is where the figures go; it may not exist yet.
func (r *Run) FiguresDir() string { return filepath.Join(r.dir, figFolder) }

// What the other files of a run may be. A histogram log of an hour takes some megabytes.
const (
	maxYAMLBytes = 1 << 20
	maxHlogBytes = 256 << 20
)

// Sweep returns sweep.yaml as it was given. Who continues a run compares its own sweep with it.
func (r *Run) Sweep() ([]byte, error) {
	return infile.Read(filepath.Join(r.dir, sweepFile), maxYAMLBytes)
}

// Testbed returns testbed.yaml as it was given, nil if none was.
func (r *Run) Testbed() ([]byte, error) {
	b, err := infile.Read(filepath.Join(r.dir, testbedFile), maxYAMLBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// Env returns the objects of env.jsonl in the order they were written, and the lines that can't be read.
func (r *Run) Env() ([]json.RawMessage, []BadLine, error) {
	var nodes []json.RawMessage
	bad, err := readLines(filepath.Join(r.dir, envFile), func(line []byte) error {
		if !json.Valid(line) {
			return errors.New("not JSON")
		}
		nodes = append(nodes, line)
		return nil
	})
	return nodes, bad, err
}

// Points returns the points, one an ID, in the order they were measured, the lines that can't be
// read, and what else of the folder is not whole. Of several lines with one ID the last that is ok
// counts, and if none is ok the last.
func (r *Run) Points() ([]Point, []BadLine, error) {
	points, bad, err := r.readPoints()
	return points, append(bad, r.damage(points)...), err
}

func (r *Run) readPoints() ([]Point, []BadLine, error) {
	var points []Point
	bad, err := readLines(filepath.Join(r.dir, pointsFile), func(line []byte) error {
		p, err := decodePoint(line)
		if err == nil {
			points = append(points, p)
		}
		return err
	})
	return lastOfEachID(points), bad, err
}

func decodePoint(line []byte) (Point, error) {
	var p Point
	if err := json.Unmarshal(line, &p); err != nil {
		return p, err
	}
	switch {
	case p.Schema > SchemaVersion:
		return p, fmt.Errorf("schema %d, written by a newer dpukv (this one reads up to %d)", p.Schema, SchemaVersion)
	case p.ID == "":
		return p, errors.New("no id: not a point")
	case checkID(p.ID) != nil:
		return p, checkID(p.ID)
	case p.Status != StatusOK && p.Status != StatusFailed:
		return p, fmt.Errorf("status %q: want %q or %q", p.Status, StatusOK, StatusFailed)
	}
	return p, nil
}

func lastOfEachID(points []Point) []Point {
	chosen := make(map[string]int, len(points))
	for i := range points {
		before, seen := chosen[points[i].ID]
		if !seen || points[i].Status == StatusOK || points[before].Status != StatusOK {
			chosen[points[i].ID] = i
		}
	}
	kept := points[:0]
	for i := range points {
		if chosen[points[i].ID] == i {
			kept = append(kept, points[i])
		}
	}
	return kept
}

// Histograms returns the latency histograms of the point with this ID. The error is
// an [fs.ErrNotExist] if it has none.
func (r *Run) Histograms(id string) ([]Interval, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	path := r.histPath(id)
	log, err := infile.Read(path, maxHlogBytes)
	if err != nil {
		return nil, fmt.Errorf("results: histograms of point %s: %w", id, err)
	}
	points, _, err := r.readPoints()
	if err != nil {
		return nil, err
	}
	for i := range points {
		if points[i].ID == id {
			if err := points[i].checkHlog(log); err != nil {
				return nil, fmt.Errorf("results: %s: %w", path, err)
			}
		}
	}
	intervals, err := DecodeHlog(log)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return intervals, nil
}

func (r *Run) histPath(id string) string {
	return filepath.Join(r.dir, histFolder, id+".hlog")
}

// maxIDBytes leaves room for the histogram file's suffixes in a file name of 255 bytes.
const maxIDBytes = 200

// checkID refuses an ID that can't name a file, or that would name one elsewhere.
func checkID(id string) error {
	if id == "" || len(id) > maxIDBytes || id[0] == '.' {
		return fmt.Errorf("results: point id %q: want 1 to %d bytes, the first not a dot",
			foreign.Clip(id, maxIDBytes), maxIDBytes)
	}
	for _, c := range []byte(id) {
		if c <= ' ' || c >= 0x7f || c == '/' {
			return fmt.Errorf("results: point id %q: it names a file, so it can't hold %q", id, c)
		}
	}
	return nil
}
