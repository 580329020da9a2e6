package runfolder

import (
	"errors"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

func TestOneWriterAFolder(t *testing.T) {
	w := newRun(t)
	_, err := Resume(w.Dir())
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), w.Dir()) {
		t.Fatalf("second writer: %v, want ErrLocked that names the folder", err)
	}
	if _, err := Open(w.Dir()); err != nil {
		t.Errorf("reading while it is written: %v", err)
	}
	must.Do(t, w.Close())
	again, err := Resume(w.Dir())
	if err != nil {
		t.Fatalf("after the first has closed: %v", err)
	}
	_ = again.Close()
}
