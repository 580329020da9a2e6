package sweep

import (
	"strings"
	"testing"
	"time"
)

// TestRequestsInsteadOfDuration: a point has one of the two, and so has a file.
func TestRequestsInsteadOfDuration(t *testing.T) {
	for _, c := range []struct {
		text      string
		durations []time.Duration
		refused   string
	}{
		{"client_threads: 1\nget_ratio: 1\n", []time.Duration{1500 * time.Millisecond}, ""},
		{"client_threads: 1\nget_ratio: 1\nrequests: 1000\n", []time.Duration{0}, ""},
		{
			"client_threads: 1\nget_ratio: 1\nrequests: [0, 1000]\nduration: 2s\n",
			[]time.Duration{2 * time.Second, 0},
			"",
		},
		{
			"client_threads: 1\nget_ratio: 1\nrequests: 1000\nduration: 2s\n",
			[]time.Duration{0},
			"sweep.yaml:4:11: duration: found 2s, and requests in each point",
		},
	} {
		s := parsed(t, c.text)
		configs := s.Configs()
		if len(configs) != len(c.durations) {
			t.Fatalf("%s: found %d configurations, want %d", c.text, len(configs), len(c.durations))
		}
		for i, want := range c.durations {
			if configs[i].Duration != want {
				t.Errorf("%s: found the duration %v, want %v", c.text, configs[i].Duration, want)
			}
		}
		err := CheckRequests(&s)
		if (err == nil) != (c.refused == "") || err != nil && !strings.HasPrefix(err.Error(), c.refused) {
			t.Errorf("%s: found %v, want %q", c.text, err, c.refused)
		}
	}
}

// TestPeriod: at a rate, requests take the time that they are due in.
func TestPeriod(t *testing.T) {
	var c Config
	c.Requests, c.RateOps = 50_000, 10_000
	if d := c.Period(); d != 5*time.Second {
		t.Errorf("found %v, want 5 s", d)
	}
}
