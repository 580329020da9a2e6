package claims

import (
	"slices"
	"strings"
	"testing"
)

func book(t *testing.T) *Book {
	t.Helper()
	b, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryFindingOfTheStudyIsThere(t *testing.T) {
	var ids []string
	for _, f := range book(t).Findings {
		ids = append(ids, f.ID)
	}
	want := strings.Fields("N1 N2 A1-herd A1-herd-gen A1-cdh A1-mica A1-mica-bf2 A1-mica-bf3 A1-bf2-sd A1-cdsh " +
		"A1-ch-bf3 A2 A3-share A3-bw A3-lat A4-peak A4-sm3 A4-sm45 M1 M2")
	if !slices.Equal(ids, want) {
		t.Errorf("found %q, want %q", ids, want)
	}
}

func TestMistakesInTheBook(t *testing.T) {
	for text, want := range map[string]string{
		"findings: [{id: X, moon: 1}]":                                    "unknown field",
		"findings: [{id: X}]":                                             "X: found neither claims nor needs",
		"findings: [{id: X, needs: y, doubts: [z]}]":                      `the study's method: found "z"`,
		"findings: [{id: X, claims: [{says: s, of: luck, cases: [{}]}]}]": `of: found "luck"`,
	} {
		if _, err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, want %q", text, err, want)
		}
	}
}
