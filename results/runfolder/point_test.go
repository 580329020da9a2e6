package runfolder

import (
	"slices"
	"testing"

	"dpukv/results"
)

func TestLastOkLineOfAnIDWins(t *testing.T) {
	type line struct {
		id, status string
		ops        uint64
	}
	for name, c := range map[string]struct{ lines, want []line }{
		"last ok": {[]line{{"a", "ok", 1}, {"a", "ok", 2}}, []line{{"a", "ok", 2}}},
		"ok before failed": {
			[]line{{"a", "ok", 1}, {"b", "ok", 3}, {"a", "failed", 2}},
			[]line{{"a", "ok", 1}, {"b", "ok", 3}},
		},
		"ok after failed": {
			[]line{{"a", "failed", 1}, {"b", "ok", 3}, {"a", "ok", 2}},
			[]line{{"b", "ok", 3}, {"a", "ok", 2}},
		},
		"last of the failed":  {[]line{{"a", "failed", 1}, {"a", "failed", 2}}, []line{{"a", "failed", 2}}},
		"nothing, no problem": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var points []results.Point
			for _, l := range c.lines {
				points = append(points, results.Point{
					Identity: results.Identity{ID: l.id, Status: l.status},
					Counted:  results.Counted{Ops: l.ops},
				})
			}
			var got []line
			for _, p := range lastOfEachID(points) {
				got = append(got, line{p.ID, p.Status, p.Ops})
			}
			if !slices.Equal(got, c.want) {
				t.Fatalf("got %v, want %v", got, c.want)
			}
		})
	}
}
