package sweep

import (
	"slices"
	"testing"

	"dpukv/internal/test/must"
)

// compared is a sweep of two builds.
func compared(t *testing.T, text string) Sweep {
	t.Helper()
	s := parsed(t, text)
	s.Compare("v1@aa", "v2@bb")
	return s
}

// TestBuildsArePairs: in each round, both builds of a configuration come one right after the other,
// with one seed. Either is often the first.
func TestBuildsArePairs(t *testing.T) {
	s := compared(t, "get_ratio: [1, 0.5]\nclient_threads: [1, 2, 4]\nrepeats: 8")
	points, first := s.Points(), map[string]int{}
	if len(points) != 96 || s.Size(MaxPoints) != 96 {
		t.Fatalf("found %d points, size says %d, want 2 × 6 × 8", len(points), s.Size(MaxPoints))
	}
	for i := 0; i < len(points); i += 2 {
		a, b := points[i], points[i+1]
		first[a.Build]++
		builds := []string{a.Build, b.Build}
		slices.Sort(builds)
		if a.ID == b.ID || !slices.Equal(builds, []string{"v1@aa", "v2@bb"}) {
			t.Errorf("points %d and %d: found %s and %s", i, i+1, a.ID, b.ID)
		}
		a.Build, a.ID = b.Build, b.ID
		if a != b {
			t.Errorf("points %d and %d differ in more than their build: %+v, %+v", i, i+1, a, b)
		}
	}
	if min(first["v1@aa"], first["v2@bb"]) < 12 {
		t.Errorf("one build is nearly always the first: %v", first)
	}
	if !slices.Equal(points, s.Points()) {
		t.Error("the order is another one each time")
	}
}

// TestBuildsInAFile: what the run folder's sweep says of two builds is read again.
func TestBuildsInAFile(t *testing.T) {
	s := compared(t, "get_ratio: 1")
	again := parsed(t, string(s.Marshal()))
	if base, other := again.Compared(); base != "v1@aa" || other != "v2@bb" || len(Differences(&s, &again)) > 0 {
		t.Errorf("found %s and %s, %v", base, other, Differences(&s, &again))
	}
	one := parsed(t, "get_ratio: 1")
	if base, _ := one.Compared(); base != "" || CheckBuilds(&one) != nil {
		t.Errorf("a sweep of one build has the base %s, %v", base, CheckBuilds(&one))
	}
	for _, text := range []string{"v1", "\"@\"", "v1@", "\"@aa\"", "\"v 1@aa\"", "1"} {
		_, err := Parse("s.yaml", []byte("build: "+text))
		must.Fail(t, err, "allowed: none, or VERSION@DIGEST of two builds")
	}
}

// TestCheckBuilds: what two builds cannot be compared by is refused.
func TestCheckBuilds(t *testing.T) {
	for text, want := range map[string]string{
		"repeats: 1":             "",
		"rate: [0, 1e5]":         "",
		"store: [mica, herd]":    "",
		"slo: p99=1ms":           "slo: found p99=1ms with two builds, allowed: none",
		"rate: [50%]":            "rate: found shares of the peak with two builds, allowed: operations per second",
		"repeats_until: 5%":      "repeats_until: found 5% with two builds, allowed: none",
		"measure: [kvs, memory]": "with two builds, allowed: kvs",
		"store: memcached\nattach: 192.0.2.1:11211": "attach: found 192.0.2.1:11211 with two builds, allowed: none",
	} {
		s := compared(t, text)
		err := CheckBuilds(&s)
		must.Fail(t, err, want)
	}
	for _, text := range []string{"build: v1@aa", "build: [none, v1@aa]", "build: [v1@aa, v2@bb, v3@cc]"} {
		s := parsed(t, text)
		must.Fail(t, CheckBuilds(&s), "build: found ")
	}
}
