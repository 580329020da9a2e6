package spelling

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"mica", "herd", "memcached", "redis", "x", "sm1", "CH-SH"}
	for word, want := range map[string]string{
		"micca": "mica", "memcache": "memcached", "redsi": "redis", "heard": "herd", "etcd": "",
		"sm6": "", "dish": "", "ch-sh": "CH-SH", "MICA": "mica",
		"": "", "y": "", strings.Repeat("mica", 20): "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: found %q, want %q", word, got, want)
		}
	}
	if got := Nearest("mica", nil); got != "" {
		t.Errorf("of no words: %q", got)
	}
}
