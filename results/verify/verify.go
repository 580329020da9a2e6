package verify

import (
	"fmt"
	"slices"

	"dpukv/results"
	"dpukv/results/runfolder"
)

// Outcome is the result of a check.
type Outcome string

// The outcomes.
const (
	OK      Outcome = "ok"
	Wrong   Outcome = "wrong"
	Unknown Outcome = "unknown"
)

// Check is one check and its result.
type Check struct {
	Name    string   `json:"check"`
	Outcome Outcome  `json:"outcome"`
	Found   string   `json:"found"`            // in a few words
	Faults  []string `json:"faults,omitempty"` // each with its place
}

// Report is the result of all checks.
type Report struct {
	Folder string  `json:"folder"`
	Digest string  `json:"digest"` // of the run as it is now
	Checks []Check `json:"checks"`
}

// Wrong reports whether a check found something wrong.
func (r *Report) Wrong() bool {
	return slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Outcome == Wrong })
}

// Options are what a folder does not have.
type Options struct {
	Expected string // digest of the run, from elsewhere; "": none
	// Request returns the points that differ from the request, each with the difference.
	Request func(run *runfolder.Run, points []results.Point) ([]string, error)
}

// folder is a run folder with what all checks need.
type folder struct {
	*runfolder.Run
	Options
	points  []results.Point
	bad     []runfolder.BadLine
	chains  []runfolder.Chain
	chained bool // the folder has digests
}

// Folder checks a run folder. The error is about files that can't be read at all.
func Folder(run *runfolder.Run, o Options) (*Report, error) {
	f := &folder{Run: run, Options: o}
	var err error
	if f.points, f.bad, err = run.All(); err != nil {
		return nil, err
	}
	if f.chains, err = run.Chains(); err != nil {
		return nil, err
	}
	f.chained = runfolder.Chained(f.chains)
	r := &Report{Folder: run.Dir(), Digest: runfolder.Digest(f.chains)}
	for _, check := range []func() Check{
		f.lines, f.chain, f.end, f.digest, f.request, f.schema, f.order, f.throughput, f.logs,
		f.latency, f.nodes, f.uncovered,
	} {
		r.Checks = append(r.Checks, check())
	}
	return r, nil
}

// outcome makes a check that is wrong if it has faults.
func outcome(name, found string, faults []string) Check {
	c := Check{Name: name, Outcome: OK, Found: found, Faults: faults}
	if len(faults) > 0 {
		c.Outcome = Wrong
	}
	return c
}

// each checks every point that is ok.
func (f *folder) each(name string, fault func(*results.Point) []string) Check {
	var faults []string
	done, _ := results.Split(f.points)
	for _, p := range done {
		for _, text := range fault(p) {
			faults = append(faults, fmt.Sprintf("point %s: %s", p.ID, text))
		}
	}
	return outcome(name, count(len(done), "point"), faults)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
