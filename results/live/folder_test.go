package live

import (
	"fmt"
	"strings"
	"testing"
)

// TestAnswersAreMadeOnce: an answer is made once for any number of readers.
func TestAnswersAreMadeOnce(t *testing.T) {
	s, dir := served(t)
	begin(t, dir)
	for _, path := range []string{"", "data.json", "metrics"} {
		_, first := get(t, s.URL()+path)
		if _, again := get(t, s.URL()+path); again != first {
			t.Errorf("/%s: found another answer", path)
		}
	}
	places := func() string {
		return fmt.Sprintf("%p %p %p", s.folder.page.bytes, s.folder.data.bytes, s.folder.metrics.bytes)
	}
	kept := places()
	for _, path := range []string{"", "data.json", "metrics"} {
		get(t, s.URL()+path)
	}
	if now := places(); now != kept || strings.Contains(now, "0x0") {
		t.Errorf("found %s, made before %s", now, kept)
	}
}
