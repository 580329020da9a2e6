package prose

import (
	"maps"
	"slices"
	"testing"
)

const root = "../../.."

// TestDocumentation checks all pages.
func TestDocumentation(t *testing.T) {
	paths, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			problems, err := checkPage(root, path)
			if err != nil {
				t.Fatal(err)
			}
			for _, check := range slices.Sorted(maps.Keys(problems)) {
				for _, problem := range problems[check] {
					t.Error(problem)
				}
			}
		})
	}
}
