package foreign

import "testing"

func TestEnds(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"short", 5, "short"},
		{"longer one", 6, "lon … (4 bytes left out) … one"},
		{"äöüäöü", 6, "ä … (8 bytes left out) … ü"},
	} {
		if got := Ends(test.text, test.most); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"short", 5, "short"},
		{"longer", 5, "longe… (6 bytes in all)"},
		{"äöü", 3, "ä… (6 bytes in all)"},
		{"\x80\x80\x80\x80\x80\x80", 5, "\x80… (6 bytes in all)"},
	} {
		if got := Clip(test.text, test.most); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
	if got := Reason(make([]byte, 7<<20)); len(got) > MaxReason+40 {
		t.Errorf("a reason of %d bytes", len(got))
	}
}
