//go:build !linux || !(amd64 || arm64) || static

package ibverbs

import (
	"errors"
	"strings"
	"testing"

	"dpukv/verbs"
)

func TestStubRefuses(t *testing.T) {
	d, err := Open(Config{Name: "mlx5_0", GIDIndex: AutoGID})
	if d != nil || !errors.Is(err, verbs.ErrNotSupported) {
		t.Fatalf("Open = %v, %v, want ErrNotSupported", d, err)
	}
	for _, want := range []string{"static build", "make build"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %q: %v", want, err)
		}
	}
}
