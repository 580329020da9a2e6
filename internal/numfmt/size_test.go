package numfmt

import "testing"

func TestSet(t *testing.T) {
	for text, want := range map[string]Size{
		"1": 1, "1KiB": 1 << 10, "256MiB": 256 << 20, "4 GiB": 4 << 30, "2TiB": 2 << 40,
	} {
		var got Size
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "lots", "1MB", "9999999999TiB"} {
		if err := new(Size).Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestString: a size is written in the largest unit that divides it, and 0 as "".
func TestString(t *testing.T) {
	for size, want := range map[Size]string{0: "", 1: "1", 1 << 10: "1KiB", 1025: "1025", 3 << 30: "3GiB"} {
		if got := size.String(); got != want {
			t.Errorf("%d: %q, want %q", int64(size), got, want)
		}
	}
}
