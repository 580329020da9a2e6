package sweep

import (
	"strings"
	"testing"

	"dpukv/results"
)

// TestModeOfAnAttachedServer: the mode is the server's, unless the file asks for one.
func TestModeOfAnAttachedServer(t *testing.T) {
	for file, wants := range map[string]bool{
		"store: redis\nattach: 127.0.0.1:1\n":              false,
		"store: redis\nattach: 127.0.0.1:1\nmode: cache\n": true,
		"store: redis\n": true,
	} {
		s, err := Parse("s.yaml", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		pt := s.Points()[0]
		var used results.Point
		pt.Asked(&used)
		used.Access, used.Mode = pt.Access, "store"
		if err := pt.VerifyUsed(&used); (err != nil) != wants || wants &&
			!strings.Contains(err.Error(), "mode: asked for cache, used store") {
			t.Errorf("%q: %v", file, err)
		}
	}
}
