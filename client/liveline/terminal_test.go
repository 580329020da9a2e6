package liveline

import (
	"bytes"
	"os"
	"testing"

	"dpukv/internal/foreign"
	"dpukv/internal/test/must"
	"dpukv/internal/test/pty"
)

func TestColumns(t *testing.T) {
	for _, columns := range []int{40, 0} {
		_, screen := pty.Open(t, columns)
		want := columns
		if want == 0 {
			want = usualColumns
		}
		if got := Columns(foreign.NewWriter(screen, 0)); got != want {
			t.Errorf("found %d columns, want %d", got, want)
		}
	}
	if got := Columns(new(bytes.Buffer)); got != 0 {
		t.Errorf("a buffer has %d columns", got)
	}
	file := must.Get(os.Create(t.TempDir() + "/file"))(t)
	defer file.Close()
	if got := Columns(file); got != 0 {
		t.Errorf("a file has %d columns", got)
	}
}

// TestRewrite: a line replaces the one before, and is no wider than the terminal.
func TestRewrite(t *testing.T) {
	keyboard, screen := pty.Open(t, 10)
	w := foreign.NewWriter(screen, 0)
	Rewrite(w, "a µs line, too long")
	Rewrite(w, "")
	read := make([]byte, 100)
	n, err := keyboard.Read(read)
	if err != nil {
		t.Fatal(err)
	}
	all := string(read[:n])
	for want := "\r\x1b[Ka µs line\r\x1b[K"; len(all) < len(want); all += string(read[:n]) {
		if n, err = keyboard.Read(read); err != nil {
			t.Fatal(err)
		}
	}
	if want := "\r\x1b[Ka µs line\r\x1b[K"; all != want {
		t.Errorf("found %q, want %q", all, want)
	}
	var none bytes.Buffer
	if Rewrite(&none, "text"); none.Len() > 0 {
		t.Errorf("wrote %q without a terminal", &none)
	}
}
