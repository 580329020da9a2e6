package layout

import (
	"slices"
	"strings"
	"testing"
)

const someTable = "Before.\n\n" + header +
	"| `a` | `b`, `b/c` |  |\n| `b` |  | `b/c` |\n| `b/c` |  |  |\n\nAfter.\n"

func mustParse(t *testing.T, text string) *table {
	t.Helper()
	parsed, err := parseTable(text)
	if err != nil {
		t.Fatal(err)
	}
	return &parsed
}

func TestParseTable(t *testing.T) {
	parsed := mustParse(t, someTable)
	if len(parsed.rows) != 3 || !slices.Equal(parsed.rows[0].imports, []string{"b", "b/c"}) ||
		!slices.Equal(parsed.rows[1].extras, []string{"b/c"}) {
		t.Errorf("found %+v", parsed.rows)
	}
	if got := parsed.String(); got != someTable {
		t.Errorf("found\n%s\nwant\n%s", got, someTable)
	}
	for text, want := range map[string]string{
		"| folder |\n":               "found no table of imports",
		header + "| `a` | `b` |\n":   "found the row",
		header + "| a b |  |  |\n":   "found the row",
		header + "| `a` | | | | |\n": "found the row",
	} {
		if _, err := parseTable(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %v, want %q", text, err, want)
		}
	}
}

func TestRowOf(t *testing.T) {
	parsed := mustParse(t, someTable)
	for path, want := range map[string]int{
		"a": 0, "a/x": 0, "b": 1, "b/cd": 1, "b/c": 2, "b/c/d": 2, "ab": -1,
	} {
		if got := parsed.rowOf(path); got != want {
			t.Errorf("%s: found row %d, want %d", path, got, want)
		}
	}
}
