package kvs

import "testing"

func TestTitleOf(t *testing.T) {
	RegisterTitle(&Store{Name: "known", Title: "Known of Old"})
	t.Cleanup(func() { delete(titles, "known") })
	for name, want := range map[string]string{
		"known": "Known of Old", "of-another-build": "of-another-build", "": "(no store)",
	} {
		if got := TitleOf(name); got != want {
			t.Errorf("%q: found %q, want %q", name, got, want)
		}
	}
}
