package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/internal/test/subject"
)

func TestMargins(t *testing.T) {
	c := newCalibration("s")
	for name, reached := range map[string][]float64{
		"a cpu": {.01, .02, .004}, "lucky cpu": {.001, .001, .001}, "c cpu": {.008, .008, .012},
		"few cpu": {.5, .5},
	} {
		for _, far := range reached {
			c.add([]row{{Name: name, Kind: subject.Core, interval: interval{1, 1 - far/2, 1 + far, 100}}})
		}
	}
	c.add([]row{
		{Name: "refused", Kind: subject.Server, Refused: "busy", interval: interval{1, 0, 9, 100}},
		{Name: "short", Kind: subject.Server, interval: interval{1, 0, 9, fewest - 1}},
	})
	margins := c.margins()
	for name, want := range map[string]float64{
		"a cpu": room * .02, "c cpu": room * .012, "lucky cpu": room * .012, // the middle of the kind
		"few cpu": 0, "refused": 0, "short": 0,
	} {
		if got := margins[name]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: found the margin %g, want %g", name, got, want)
		}
	}
	c = newCalibration("s")
	for range calibrationRuns {
		c.add([]row{{Name: "x", Kind: subject.Core, interval: interval{1, .999, 1.001, 100}}})
	}
	if got := c.margins()["x"]; got != leastMargin {
		t.Errorf("found the margin %g, want the least, %g", got, leastMargin)
	}
}

// simulated is a run of rows. A process has a ratio of its own beside the noise of its rounds, as
// real ones have.
func simulated(rng *rand.Rand, rows int, slowed float64) (list []row) {
	for i := range rows {
		r := row{Name: fmt.Sprint(i), Kind: subject.Core}
		spread := .002 + .008*float64(i)/float64(rows) // rows differ
		values := make([]float64, 0, 400)
		for range sittings {
			of := (1 + slowed) * math.Exp(spread*rng.NormFloat64())
			for range 200 {
				values = append(values, of*math.Exp(.04*rng.NormFloat64()))
			}
		}
		r.interval = intervalOf(values)
		list = append(list, r)
	}
	return list
}

// TestVerdictsOfSimulatedRuns: of equal builds, at most 5 % of rows move, and 90 % are decided. Of
// builds that are 5 % slower, 90 % of rows are found. The rates are those of many calibrations.
func TestVerdictsOfSimulatedRuns(t *testing.T) {
	rng := seeded(t)
	const machines, rows = 60, 20
	var equal, slowed counts
	for range machines {
		c := newCalibration("s")
		for range calibrationRuns {
			c.add(simulated(rng, rows, 0))
		}
		margins := c.margins()
		for of, list := range map[*counts][]row{
			&equal: simulated(rng, rows, 0), &slowed: simulated(rng, rows, .05),
		} {
			for i := range list {
				of.add(judge(&list[i], margins[list[i].Name]))
			}
		}
	}
	t.Logf("equal: %+v; slowed: %+v", equal, slowed)
	if most := .05 * machines * rows; float64(equal.moved) > most {
		t.Errorf("%d of %d rows of equal builds moved, allowed %.0f", equal.moved, equal.rows, most)
	}
	if least := .9 * machines * rows; float64(equal.decided) < least || float64(slowed.slower) < least {
		t.Errorf("%d of %d rows of equal builds decided, and %d of slowed ones found, want %.0f", equal.decided,
			equal.rows, slowed.slower, least)
	}
}

func TestCalibrationFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "c.json")
	c, why, err := load(path, "s")
	must.Do(t, err)
	must.Contain(t, why, "there is none")
	c.add([]row{{Name: "x", Kind: subject.Core, interval: interval{1, .9, 1, 100}}})
	must.Do(t, c.save(path))
	c, why, err = load(path, "s")
	must.Do(t, err)
	if len(c.Reached["x"]) != 1 || why != "" {
		t.Errorf("found %+v, as %s", c, why)
	}
	c, why, err = load(path, "other")
	must.Do(t, err)
	must.Contain(t, why, "of another settings: s; now: other")
	if len(c.Reached) != 0 {
		t.Errorf("found runs of other settings: %v", c.Reached)
	}
	must.Do(t, os.WriteFile(path, []byte("{"), 0o600))
	_, _, err = load(path, "s")
	must.Fail(t, err, "remove it")
}

func seeded(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
