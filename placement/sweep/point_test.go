package sweep

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
)

// TestModeOfAnAttachedServer: the mode is the server's, unless the file asks for one.
func TestModeOfAnAttachedServer(t *testing.T) {
	for file, wants := range map[string]bool{
		"store: redis\nattach: 127.0.0.1:1\n":              false,
		"store: redis\nattach: 127.0.0.1:1\nmode: cache\n": true,
		"store: redis\n": true,
	} {
		s := parsed(t, file)
		pt := s.Points()[0]
		var used results.Point
		pt.Asked(&used)
		used.Mode = "store"
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
		s := parsed(t, "store: memcached\n"+text)
		pt := s.Points()[0]
		used := results.Point{Asked: results.Asked{ServerThreads: 4}}
		pt.Asked(&used)
		used.Mode = pt.Mode
		if agrees != (used.ServerThreads == 4) {
			t.Errorf("%q: the point has %d threads", text, used.ServerThreads)
		}
		used.ServerThreads = 4
		if err := pt.VerifyUsed(&used); (err == nil) != agrees {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestHalvesAsAsked: a split point whose halves differ from the request fails, also from its defaults.
func TestHalvesAsAsked(t *testing.T) {
	s := parsed(t, "placement: CH-PD-ED-SH\nserver_threads: 2\n")
	pt := s.Points()[0]
	for _, c := range map[string]struct {
		edit func(*results.Point)
		want string
	}{
		"the defaults": {func(*results.Point) {}, ""},
		"engine threads": {
			func(p *results.Point) { p.EngineThreads = 4 }, "engine_threads: asked for 2, used 4",
		},
		"answers": {
			func(p *results.Point) { p.Answers = "write" }, "answers: asked for read, used write",
		},
		"wait":           {func(p *results.Point) { p.Wait = "nap" }, "wait: asked for poll, used nap"},
		"a whole server": {func(p *results.Point) { p.Lanes, p.EngineThreads = nil, 0 }, ""}, // the run tells
		"one end":        {func(p *results.Point) { p.Wait = "poll and nap" }, "used poll and nap"},
	} {
		var used results.Point
		pt.Asked(&used)
		used.EngineThreads = 2
		used.Lanes, used.Answers, used.Wait = &results.Lanes{}, "read", "poll"
		c.edit(&used)
		err := pt.VerifyUsed(&used)
		must.Fail(t, err, c.want)
	}
}
