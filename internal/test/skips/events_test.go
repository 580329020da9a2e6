package main

import (
	"slices"
	"strings"
	"testing"
)

// The full run skips TestTool and runs TestSlow, which the short run skips.
const (
	needsTool = "a.TestTool: a_test.go:5: needs tool: not found"
	fullRun   = `{"Action":"start","Package":"dpukv/a"}
{"Action":"run","Package":"dpukv/a","Test":"TestTool"}
{"Action":"output","Package":"dpukv/a","Test":"TestTool","Output":"=== RUN   TestTool\n"}
{"Action":"output","Package":"dpukv/a","Test":"TestTool","Output":"    a_test.go:5: needs tool:\n"}
{"Action":"output","Package":"dpukv/a","Test":"TestTool","Output":"        not found\n"}
{"Action":"output","Package":"dpukv/a","Test":"TestTool","Output":"--- SKIP: TestTool (0.00s)\n"}
{"Action":"skip","Package":"dpukv/a","Test":"TestTool"}
{"Action":"pass","Package":"dpukv/a","Test":"TestSlow/sub"}
{"Action":"pass","Package":"dpukv/a","Test":"TestSlow"}
{"Action":"skip","Package":"dpukv/none"}
`
	shortRun = `{"Action":"output","Package":"dpukv/a","Test":"TestSlow","Output":"a_test.go:9: slow\n"}
{"Action":"skip","Package":"dpukv/a","Test":"TestSlow"}
`
)

func TestSkips(t *testing.T) {
	for name, test := range map[string]struct{ runs, want []string }{
		"one run":        {[]string{fullRun}, []string{needsTool}},
		"another ran it": {[]string{fullRun, shortRun}, []string{needsTool}},
		"nobody ran it":  {[]string{shortRun, shortRun}, []string{"a.TestSlow: a_test.go:9: slow"}},
	} {
		r := newRecorder()
		for _, run := range test.runs {
			if err := r.read(strings.NewReader(run)); err != nil {
				t.Fatal(err)
			}
		}
		if got := r.skips(); !slices.Equal(got, test.want) {
			t.Errorf("%s: found %q, want %q", name, got, test.want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "found no test",
		`{"Action":"skip","Package":"dpukv/a"}`: "found no test",
		"ok  dpukv/a":                           "allowed: the output of go test -json",
	} {
		err := newRecorder().read(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %v, want %q", text, err, want)
		}
	}
}
