package series

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dpukv/internal/field"
	"dpukv/internal/machine"
	"dpukv/internal/test/must"
	"dpukv/probe"
)

// toy is a kind whose figure is its number.
func toy(measured *int) *probe.Kind {
	return &probe.Kind{
		Name: "toy", Title: "toys",
		Axes: []probe.Axis{
			{Name: "test", Default: []string{"copy"}, Codec: field.Word([]string{"copy"})},
			{Name: "bytes", Default: []string{"64", "99"}, Codec: field.Whole(1, 99).Texts()},
		},
		Figures: []probe.Figure{{Name: "bytes_per_s", Title: "best, GB/s", Factor: 1e-9}, {Name: "absent"}},
		Examine: func(s probe.Settings, _ bool) error {
			if s.Get("bytes") == "99" {
				return errors.New("99 bytes are too many")
			}
			return nil
		},
		Measure: func(_ context.Context, t *probe.Task) (*probe.Outcome, error) {
			*measured++
			return &probe.Outcome{
				Figures: map[string]float64{"bytes_per_s": float64(t.Settings.Int("bytes")) * 1e9},
				Facts:   map[string]string{"pages": "thp-2m"}, Warnings: []string{"no engine"},
			}, nil
		},
	}
}

// TestTable: the title has the words, the columns have the numbers, and a warning comes once.
func TestTable(t *testing.T) {
	emulator = func() string { return "" }
	t.Cleanup(func() { emulator = machine.Emulator })
	var b strings.Builder
	measured := 0
	kind := toy(&measured)
	add := NewTable(kind, &b).Add
	all := []probe.Settings{"test=copy bytes=64", "test=copy bytes=2"}
	must.Do(t, Run(t.Context(), kind, all, probe.Task{}, add))
	want := `# toys: test copy
# used: pages thp-2m
# bytes     best, GB/s
  64        64.00
# warning: no engine
  2         2.000
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

// TestEmulatedSeries: a figure that an emulator made says so, in the table and as JSON.
func TestEmulatedSeries(t *testing.T) {
	emulator = func() string { return "arm64 on x86_64" }
	t.Cleanup(func() { emulator = machine.Emulator })
	var b strings.Builder
	measured := 0
	kind := toy(&measured)
	table := NewTable(kind, &b)
	add := func(r *Row) error { return errors.Join(table.Add(r), WriteJSON(&b, []*Row{r})) }
	must.Do(t, Run(t.Context(), kind, []probe.Settings{"test=copy bytes=64"}, probe.Task{}, add))
	const want = "the probe runs under an emulator (arm64 on x86_64)"
	if strings.Count(b.String(), want) != 2 || !strings.Contains(b.String(), `"emulated":true`) {
		t.Errorf("found\n%s", b.String())
	}
}

// TestRefusedFirst: nothing is measured if one of the settings can't be.
func TestRefusedFirst(t *testing.T) {
	measured := 0
	kind := toy(&measured)
	if err := Check(kind, kind.All(nil)); err == nil || measured > 0 {
		t.Errorf("got %v after %d measurements", err, measured)
	}
}
