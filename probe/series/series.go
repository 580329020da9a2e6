package series

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"dpukv/internal/machine"
	"dpukv/probe"
)

// Row is one measurement of a series.
type Row struct {
	Settings map[string]string `json:"settings"`
	*probe.Outcome
	list []probe.Setting // the settings in the order of the axes
}

// Check refuses what this machine can't measure, before anything is measured.
func Check(kind *probe.Kind, all []probe.Settings) error {
	for _, s := range all {
		if kind.Check != nil {
			if err := kind.Check(s); err != nil {
				return err
			}
		}
		if err := kind.Examine(s, false); err != nil {
			return err
		}
	}
	return nil
}

// Run measures settings one after another. done gets each row at once.
func Run(
	ctx context.Context, kind *probe.Kind, all []probe.Settings, t probe.Task,
	done func(*Row) error,
) error {
	for _, s := range all {
		t.Settings = s
		o, err := kind.Measure(ctx, &t)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		if how := machine.EmulatorWarning("the probe", emulator()); how != "" {
			o.Emulated, o.Warnings = true, append(o.Warnings, how)
		}
		if err := done(&Row{s.Map(), o, s.List()}); err != nil {
			return err
		}
	}
	return nil
}

// emulator is different in a test.
var emulator = machine.Emulator

// WriteJSON writes rows as one object.
func WriteJSON(w io.Writer, rows []*Row) error {
	return json.NewEncoder(w).Encode(struct {
		Points []*Row `json:"points"`
	}{rows})
}
