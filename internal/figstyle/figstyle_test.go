package figstyle

import (
	"slices"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	width := FootText.Width("four words fit here")
	items := []string{"one", "two", "four words fit here", "an item of many more words"}
	lines := Wrap(items, FootText, width)
	want := []string{"one · two", "four words fit here", "an item of many", "more words"}
	if !slices.Equal(lines, want) {
		t.Errorf("lines %q, want %q", lines, want)
	}
	if lines := Wrap([]string{strings.Repeat("w", 99)}, FootText, width); len(lines) != 1 {
		t.Errorf("a word is split: %q", lines)
	}
}
