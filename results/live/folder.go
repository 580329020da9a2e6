package live

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"dpukv/results"
	"dpukv/results/report"
	"dpukv/results/runfolder"
)

// folder reads a run folder, once for each size of its files.
type folder struct {
	options Options
	mu      sync.Mutex
	of      int64 // size that read is of
	read    *report.Model

	page, data, metrics rendering
}

// rendering is an answer that all readers share.
type rendering struct {
	mu    sync.Mutex
	model *report.Model // that bytes are of; nil: nothing is kept
	bytes []byte
}

// of returns the answer for a model and makes it only once. Without a model it makes a new one.
func (r *rendering) of(m *report.Model, write func(io.Writer) error) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m != nil && r.model == m {
		return r.bytes, nil
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return nil, err
	}
	r.model, r.bytes = m, b.Bytes()
	return r.bytes, nil
}

// size is the size of points.jsonl and env.jsonl, or 0 while they do not exist.
func (f *folder) size() (n int64) {
	for _, name := range []string{"points.jsonl", "env.jsonl", "sweep.yaml"} {
		if info, err := os.Stat(filepath.Join(f.options.Dir, name)); err == nil {
			n += info.Size()
		}
	}
	return n
}

// model is the folder's data for the page.
func (f *folder) model() (*report.Model, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	size := f.size()
	if f.read != nil && f.of == size {
		return f.read, nil
	}
	run, err := runfolder.Open(f.options.Dir)
	if errors.Is(err, runfolder.ErrNotRun) {
		return nil, errors.New("the sweep has not begun: look again in a moment")
	}
	if err != nil {
		return nil, err
	}
	m, err := report.Read(run, report.Options{
		Version: f.options.Version, Metric: f.options.Metric, Bound: f.options.Bound,
	})
	if err != nil {
		return nil, err
	}
	f.of, f.read = size, m
	return m, nil
}

// progress is the sweep's progress in words.
func (f *folder) progress() string {
	m, err := f.model()
	if err != nil {
		return err.Error()
	}
	ok, failed := results.Split(m.Points)
	text := fmt.Sprintf("Live: %d", len(ok))
	if f.options.Total > 0 {
		text += fmt.Sprintf(" of %d", f.options.Total)
	}
	text += " points"
	if len(failed) > 0 {
		text += fmt.Sprintf(", %d failed", len(failed))
	}
	return text
}
