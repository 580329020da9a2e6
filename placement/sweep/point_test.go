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

// TestThreadsOfAttachedServer: a sweep that says no number of server threads takes the server's.
func TestThreadsOfAttachedServer(t *testing.T) {
	for text, agrees := range map[string]bool{
		"attach: 127.0.0.1:7\n": true, "attach: 127.0.0.1:7\nserver_threads: 1\n": false, "": false,
	} {
		s, err := Parse("s.yaml", []byte("store: memcached\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		pt := s.Points()[0]
		used := results.Point{ServerThreads: 4}
		pt.Asked(&used)
		used.Mode, used.Access = pt.Mode, pt.Access
		if agrees != (used.ServerThreads == 4) {
			t.Errorf("%q: the point has %d threads", text, used.ServerThreads)
		}
		used.ServerThreads = 4
		if err := pt.VerifyUsed(&used); (err == nil) != agrees {
			t.Errorf("%q: %v", text, err)
		}
	}
}
