package merge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"dpukv/results/runfolder"
)

// write makes the merged folder.
func (m *merger) write(dir string) (err error) {
	w, err := runfolder.CreateMerged(dir, m.Sources, m.runs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for i, run := range m.runs {
		if err := m.lines(run, i+1, run.Starts, w.AppendStart); err != nil {
			return err
		}
		if err := m.lines(run, i+1, run.Env, w.AppendEnv); err != nil {
			return err
		}
	}
	for i := range m.points {
		if err := m.append(w, &m.points[i]); err != nil {
			return err
		}
	}
	m.Points = len(m.points)
	return nil
}

// lines copies the objects of a file of source n.
func (m *merger) lines(
	run *runfolder.Run, n int, read func() ([]json.RawMessage, []runfolder.BadLine, error),
	add func(any) error,
) error {
	objects, bad, err := read()
	if err != nil {
		return err
	}
	for _, b := range bad {
		m.warn(run, "%s", b.Said())
	}
	for _, object := range objects {
		var fields map[string]json.RawMessage
		if json.Unmarshal(object, &fields) != nil || fields == nil {
			m.warn(run, "left out a line that is no JSON object: %s", object)
			continue
		}
		fields["source"] = json.RawMessage(fmt.Sprint(n))
		if err := add(fields); err != nil {
			return err
		}
	}
	return nil
}

// append copies a point and its histogram log.
func (m *merger) append(w *runfolder.Writer, p *point) error {
	there := p.Point
	there.ID = p.id
	log, err := p.from.Log(&there)
	switch {
	case errors.Is(err, fs.ErrNotExist) && p.HlogBytes == 0:
		log = nil
	case err != nil:
		m.warn(p.from, "point %s is without its histograms: %v", p.ID, err)
		log = nil
	}
	return w.Append(&p.Point, log)
}
