package live

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"dpukv/results"
	"dpukv/results/report"
	"dpukv/results/runfolder"
)

// folder reads a run folder, once for each size of its files.
type folder struct {
	options Options
	mu      sync.Mutex
	run     *runfolder.Run
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

// open opens the run folder, unless it is open and still in its place.
func (f *folder) open() (err error) {
	if f.run != nil && f.run.InPlace() == nil {
		return nil
	}
	f.run, err = runfolder.Open(f.options.Dir)
	if errors.Is(err, runfolder.ErrNotRun) {
		return errors.New("the sweep has not begun: look again in a moment")
	}
	return err
}

// size is the size of the folder's files, or 0 while there are none.
func (f *folder) size() (n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open() != nil {
		return 0
	}
	return f.run.Size()
}

// model is the folder's data for the page.
func (f *folder) model() (*report.Model, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.open(); err != nil {
		return nil, err
	}
	size := f.run.Size()
	if f.read != nil && f.of == size {
		return f.read, nil
	}
	m, err := report.Read(f.run, report.Options{
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
