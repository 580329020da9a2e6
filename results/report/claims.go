package report

import (
	"slices"
	"strings"
	"sync"

	"dpukv/results"
	"dpukv/results/claims"
)

// findings are those of all sources. A page that follows a sweep is made after each point.
var findings = sync.OnceValues(claims.Load)

// claimed is the findings of all sources beside this run.
type claimed struct {
	Count  map[claims.Verdict]int `json:"count"`  // of cases
	Claims int                    `json:"claims"` // that have the cases
	Cases  []claimedCase          `json:"cases"`  // the measured ones
	// NotMeasured are the claims with a case that the run is no evidence for, each once.
	NotMeasured []missingClaim `json:"not_measured"`
}

// claimedCase is one measured outcome in words.
type claimedCase struct {
	Origin     string           `json:"origin"` // the source within a sentence
	Finding    string           `json:"finding"`
	Section    string           `json:"section"`
	Says       string           `json:"says"`
	About      string           `json:"about"`
	Study      string           `json:"study"`
	Yours      string           `json:"yours"`
	Verdict    claims.Verdict   `json:"verdict"`
	Word       string           `json:"word"`
	Behind     string           `json:"behind"`
	Why        string           `json:"why"`
	Substitute string           `json:"substitute"`
	Warnings   []claims.Warning `json:"doubts"`
}

type missingClaim struct {
	Finding string `json:"finding"`
	Says    string `json:"says"`
	Why     string `json:"why"`   // each reason once
	Cases   int    `json:"cases"` // without evidence
}

// fillClaims compares the run with the findings of all sources, as dpukv run claims does.
func (m *Model) fillClaims(probes []results.Point) error {
	books, err := findings()
	if err != nil {
		return err
	}
	points := m.Points
	if len(probes) > 0 {
		points = slices.Concat(points, probes)
	}
	evidence := claims.NewRuns(m.Dir, points, m.Nodes)
	m.Claims = claimed{
		Count: map[claims.Verdict]int{}, Cases: []claimedCase{}, NotMeasured: []missingClaim{},
	}
	outcomes := books.Evaluate(claims.Evidence{Runs: evidence})
	for i := range outcomes {
		m.Claims.add(&outcomes[i])
	}
	m.Claims.Claims = claims.Count(outcomes)
	return nil
}

func (c *claimed) add(o *claims.Outcome) {
	c.Count[o.Verdict]++
	if o.Measured == nil {
		c.miss(o)
		return
	}
	c.Cases = append(c.Cases, claimedCase{
		o.Whose(), o.Finding, o.Section, o.Says, o.About(), o.Studied(), o.Yours(), o.Verdict,
		o.Word(), o.Behind(), o.Why, o.Substitute, o.Warnings,
	})
}

// miss adds a case without evidence. The cases of a claim follow each other.
func (c *claimed) miss(o *claims.Outcome) {
	n := len(c.NotMeasured)
	if n == 0 || c.NotMeasured[n-1].Says != o.Says || c.NotMeasured[n-1].Finding != o.Finding {
		c.NotMeasured = append(c.NotMeasured, missingClaim{o.Finding, o.Says, o.Why, 1})
		return
	}
	last := &c.NotMeasured[n-1]
	last.Cases++
	if !strings.Contains(last.Why, o.Why) {
		last.Why += "; " + o.Why
	}
}
