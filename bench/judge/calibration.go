package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"dpukv/internal/machine"
	"dpukv/internal/sample"
	"dpukv/internal/test/performance"
)

const (
	// calibrationRuns are runs of the base against itself.
	calibrationRuns = 3
	// room is how much farther than such runs an interval may reach. With three runs, some 6 of 100
	// rows of equal builds reach farther still, and are undecided.
	room = 1.25
	// leastMargin: what is below is no matter of a judge.
	leastMargin = .01
)

// calibration is how far intervals of equal builds reached, on one machine.
type calibration struct {
	Processor string               `json:"processor"`
	Kernel    string               `json:"kernel"`
	Settings  string               `json:"settings"`
	Reached   map[string][]float64 `json:"reached"` // by row, of each run
	Kinds     map[string]string    `json:"kinds"`
}

// add notes a run of equal builds.
func (c *calibration) add(rows []row) {
	for i := range rows {
		if r := &rows[i]; r.Refused == "" && r.Pairs >= fewest {
			c.Reached[r.Name] = append(c.Reached[r.Name], r.farthest())
			c.Kinds[r.Name] = r.Kind
		}
	}
}

// margins are those of the rows with enough runs. A row that was lucky has at least the margin of
// the middle one of its kind.
func (c *calibration) margins() map[string]float64 {
	most, ofKind := map[string]float64{}, map[string][]float64{}
	for name, reached := range c.Reached {
		if len(reached) >= calibrationRuns {
			most[name] = slices.Max(reached)
			ofKind[c.Kinds[name]] = append(ofKind[c.Kinds[name]], most[name])
		}
	}
	margins := map[string]float64{}
	for name, reached := range most {
		middle := sample.Median(ofKind[c.Kinds[name]])
		margins[name] = max(leastMargin, room*max(reached, middle))
	}
	return margins
}

// newCalibration is one without runs, of this machine.
func newCalibration(settings string) *calibration {
	return &calibration{
		machine.ProcessorFamily(), machine.Read().Kernel, settings,
		map[string][]float64{},
		map[string]string{},
	}
}

// machineFile is a file in the user's cache folder for this kind of machine, and for a scale.
func machineFile(name string, scale float64) (string, error) {
	if scale != 1 {
		name += fmt.Sprintf("-x%g", scale)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "dpukv", fmt.Sprintf("%s-%s-%d-cpus", name,
		performance.FileName(machine.ProcessorFamily()), runtime.NumCPU())), nil
}

// load reads a calibration with the same conditions. Without one, it is empty, and why says so.
func load(path, settings string) (c *calibration, why string, err error) {
	want := newCalibration(settings)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return want, "there is none for this machine", nil
	} else if err != nil {
		return nil, "", err
	}
	c = &calibration{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, "", fmt.Errorf("calibration %s: %w; remove it", path, err)
	}
	for what, pair := range map[string][2]string{
		"processor": {c.Processor, want.Processor}, "kernel": {c.Kernel, want.Kernel},
		"settings": {c.Settings, want.Settings},
	} {
		if pair[0] != pair[1] {
			why = fmt.Sprintf("it is of another %s: %s; now: %s", what, pair[0], pair[1])
			return want, why, nil
		}
	}
	return c, "", nil
}

func (c *calibration) save(path string) error {
	text, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}
