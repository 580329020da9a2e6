package runfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"syscall"
	"unsafe"

	"dpukv/internal/folder"
	"dpukv/internal/foreign"
	"dpukv/internal/numfmt"
	"dpukv/results"
)

// The names in a run folder.
const (
	sweepFile   = "sweep.yaml"
	testbedFile = "testbed.yaml"
	startsFile  = "starts.jsonl"
	envFile     = "env.jsonl"
	pointsFile  = "points.jsonl"
	histFolder  = "hist"
	figFolder   = "figures"
	headFile    = "head.json"
	reportFile  = "report.html"

	sourcesFolder = "sources" // of a merged folder
)

// ErrNotRun is wrapped by the errors of [Open] and [Resume] for a folder that holds no run.
var ErrNotRun = errors.New("not a run folder")

// Run is a run folder, for reading. It may be read while a sweep writes it.
//
// All of its files are read and written through in: somebody else may have made the folder, so no
// link in it is followed.
type Run struct {
	in *folder.Folder
}

// names are what a run folder has at its top.
var names = []string{
	sweepFile, testbedFile, startsFile, envFile, pointsFile, headFile, reportFile, histFolder,
	figFolder, sourcesFolder,
}

// Open opens a run folder for reading. It refuses links in the folder.
func Open(dir string) (*Run, error) {
	notRun := func(why string) error { return fmt.Errorf("%s: %w: %s", dir, ErrNotRun, why) }
	in, err := folder.Open(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, notRun("it does not exist")
	case errors.Is(err, syscall.ENOTDIR):
		return nil, notRun("it is a file")
	case err == nil:
		_, err = in.Stat(sweepFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notRun("it has no " + sweepFile)
	}
	if err == nil {
		err = in.CheckLinks(names...)
	}
	if err != nil {
		return nil, fmt.Errorf("open run folder: %w", err)
	}
	return &Run{in}, nil
}

// Dir is the folder, as it was given.
func (r *Run) Dir() string { return r.in.Path("") }

// Same reports whether two run folders are one.
func (r *Run) Same(other *Run) bool { return r.in.Same(other.in) }

// InPlace fails if the folder's path leads to another folder by now, or to none.
func (r *Run) InPlace() error { return r.in.InPlace() }

// Size is the size of the files that a sweep writes. It grows with every line.
func (r *Run) Size() (n int64) {
	for _, name := range []string{sweepFile, envFile, pointsFile} {
		if info, err := r.in.File(name); err == nil {
			n += info.Size()
		}
	}
	return n
}

// WriteReport writes report.html, and returns its path.
func (r *Run) WriteReport(write func(io.Writer) error) (path string, err error) {
	return r.in.Path(reportFile), r.in.Write(reportFile, write)
}

// Figures is the folder of the figures. It makes it, if there is none.
func (r *Run) Figures() (*folder.Folder, error) { return r.in.Make(figFolder) }

// The limits of the other files of a run. A histogram log of an hour takes some megabytes.
const (
	maxYAMLBytes = 1 << 20
	maxHlogBytes = 256 << 20
)

// Sweep returns sweep.yaml as it was given. A caller that continues a run compares its own sweep
// with it.
func (r *Run) Sweep() ([]byte, error) {
	return r.in.Read(sweepFile, maxYAMLBytes)
}

// Testbed returns testbed.yaml as it was given, nil if none was.
func (r *Run) Testbed() ([]byte, error) {
	b, err := r.in.Read(testbedFile, maxYAMLBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// Env returns the objects of env.jsonl in the order they were written, without their digests, and
// the lines that can't be read.
func (r *Run) Env() ([]json.RawMessage, []BadLine, error) { return r.objects(envFile) }

// Starts returns the objects of starts.jsonl as [Run.Env] does.
func (r *Run) Starts() ([]json.RawMessage, []BadLine, error) { return r.objects(startsFile) }

func (r *Run) objects(file string) ([]json.RawMessage, []BadLine, error) {
	var objects []json.RawMessage
	bad, err := r.readLines(file, func(line []byte) error {
		if !json.Valid(line) {
			return errors.New("not JSON")
		}
		content, _ := unchained(line)
		objects = append(objects, content)
		return nil
	})
	return objects, bad, err
}

// Machines describes the nodes of env.jsonl, each kind once: "2 CPUs (AMD EPYC)". It leaves out
// nodes whose CPUs are not known.
func (r *Run) Machines() []string {
	env, _, err := r.Env()
	if err != nil {
		return nil // only a line below a figure is missing then
	}
	var said []string
	for _, node := range env {
		var facts struct {
			CPUs     int    `json:"cpus"`
			CPUModel string `json:"cpu_model"`
		}
		if json.Unmarshal(node, &facts) != nil || facts.CPUs == 0 {
			continue
		}
		s := numfmt.Count(facts.CPUs, "CPU")
		if facts.CPUModel != "" {
			s += " (" + foreign.Line(facts.CPUModel) + ")"
		}
		if !slices.Contains(said, s) {
			said = append(said, s)
		}
	}
	return said
}

// All returns the points, one an ID, in the order they were measured. It also returns the lines
// that can't be read, and the files of the folder that are not whole. Of several lines with one
// ID, those that are ok count, and if none is ok the last. No sweep writes two that are ok:
// somebody joined two folders. A copy of a line is left out, another point becomes ID~2.
func (r *Run) All() ([]results.Point, []BadLine, error) {
	points, bad, err := r.readPoints()
	if err != nil {
		return points, bad, err
	}
	bad = append(bad, r.damagedFiles(points)...)
	split := badLines{file: pointsFile}
	for _, reason := range append(results.SplitByPages(points),
		results.SplitByUnlisted(points)...) {
		split.keep(BadLine{Kept: true, Reason: reason})
	}
	bad = append(bad, split.all()...)
	return points, append(bad, r.editedFiles()...), nil
}

// Points returns those of [Run.All] that measure a store.
func (r *Run) Points() ([]results.Point, []BadLine, error) { return r.those(false) }

// Probes returns those of [Run.All] that measure a machine or a path without a store.
func (r *Run) Probes() ([]results.Point, []BadLine, error) { return r.those(true) }

func (r *Run) those(probes bool) ([]results.Point, []BadLine, error) {
	points, bad, err := r.All()
	return slices.DeleteFunc(points, func(p results.Point) bool {
		return p.IsProbe() != probes
	}), bad, err
}

func (r *Run) readPoints() ([]results.Point, []BadLine, error) {
	var points []results.Point
	var twice repeatedIDs
	var taken memory
	lines := r.linesOf(pointsFile)
	if lines > maxLines {
		return nil, nil, tooManyLines(r.in.Path(pointsFile))
	}
	// A slice that grows would need twice the memory. What is not used takes none.
	most := maxMemory / int64(unsafe.Sizeof(results.Point{}))
	points = make([]results.Point, 0, min(int64(lines), most))
	bad, err := r.readLines(pointsFile, func(line []byte) error {
		p, err := decodePoint(line)
		if err == nil && twice.keeps(points, &p) {
			err = taken.add(&p)
			points = append(points, p)
		}
		return err
	})
	return lastOfEachID(points), append(bad, twice.said.all()...), err
}

// linesOf counts the lines of a file, up to the limit. A file that can't be read has none.
func (r *Run) linesOf(file string) (n int) {
	f, err := r.in.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	if checkSize(f) != nil {
		return 0
	}
	b := make([]byte, 1<<16)
	for n <= maxLines {
		got, err := f.Read(b)
		n += bytes.Count(b[:got], []byte{'\n'})
		if err != nil {
			break
		}
	}
	return n
}

// Histograms returns the latency histograms of the point with this ID. The error is an
// [fs.ErrNotExist] if the point has none.
func (r *Run) Histograms(id string) ([]results.Interval, error) {
	if err := results.CheckID(id); err != nil {
		return nil, err
	}
	path := r.in.Path(histName(id))
	log, err := r.in.Read(histName(id), maxHlogBytes)
	if err != nil {
		return nil, fmt.Errorf("histograms of point %s: %w", id, err)
	}
	points, _, err := r.readPoints()
	if err != nil {
		return nil, err
	}
	for i := range points {
		if points[i].ID == id {
			if err := verifyHlog(&points[i], log); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	intervals, err := results.DecodeHlog(log)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return intervals, nil
}

func histName(id string) string { return histFolder + "/" + id + ".hlog" }
