package live

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results/resultstest"
)

func TestEventsTellOfPointsAndTheEnd(t *testing.T) {
	s, dir := served(t)
	w := begin(t, dir)
	reply := must.Get(http.Get(s.URL() + "events"))(t)
	defer reply.Body.Close()
	lines := bufio.NewScanner(reply.Body)
	next := func() string {
		for lines.Scan() {
			if text, found := strings.CutPrefix(lines.Text(), "data: "); found {
				return text
			}
		}
		return "the end of the stream"
	}
	if got := next(); got != "Live: 0 of 9 points" {
		t.Errorf("first: %q", got)
	}
	add(t, w, resultstest.Point())
	if got := next(); got != "Live: 1 of 9 points" {
		t.Errorf("after a point: %q", got)
	}
	closed := make(chan error)
	go func() { closed <- s.Close("The sweep has ended.") }()
	if got := next(); got != "The sweep has ended." {
		t.Errorf("last: %q", got)
	}
	add(t, w, resultstest.Point(resultstest.WithID("the-last-one")))
	if status, data := get(t, s.URL()+"data.json"); status != http.StatusOK || !strings.Contains(data, `"the-last-one"`) {
		t.Errorf("a page that was told of the end found %d and not the last point", status)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestTooManyWatchers: pages that follow events leave room for plain requests.
func TestTooManyWatchers(t *testing.T) {
	s, dir := served(t)
	begin(t, dir)
	s.watching.Store(maxWatchers)
	defer s.watching.Store(0)
	code, body := get(t, s.URL()+"events")
	if code != http.StatusServiceUnavailable || !strings.Contains(body, "too many pages follow") {
		t.Errorf("found %d %s", code, body)
	}
	if code, _ := get(t, s.URL()+"data.json"); code != http.StatusOK {
		t.Errorf("the data: found %d", code)
	}
}
