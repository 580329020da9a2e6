//go:build guest

package guest

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// event is a line of test2json's output.
type event struct{ Action, Test, Output string }

// result is the result of one test that ran in another process.
type result struct {
	outcome string // "pass", "fail", "skip"; empty where it did not end
	output  strings.Builder
}

// said is the output without go test's own lines.
func (r *result) said() string {
	lines := strings.Split(r.output.String(), "\n")
	return strings.TrimSpace(strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		line = strings.TrimSpace(line)
		return strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ")
	}), "\n"))
}

// report makes a subtest of every test in go test's verbose output. A skipped test fails: each job
// names its tests.
func report(t *testing.T, output string) {
	t.Helper()
	reportSkips(t, output, func(t *testing.T, text string) {
		t.Helper()
		t.Errorf("skipped, and the guest was made for it\n%s", text)
	})
}

// reportSkips makes a subtest of every test, and leaves those that were skipped to skipped.
func reportSkips(t *testing.T, output string, skipped func(*testing.T, string)) {
	t.Helper()
	results, order := parse(t, output)
	if len(order) == 0 {
		t.Errorf("no test ran; the output:\n%s", lastLines(output, 40))
	}
	counts := make(map[string]int)
	for _, name := range order {
		r := results[name]
		counts[r.outcome]++
		t.Run(name, func(t *testing.T) {
			text := strings.TrimSpace(r.output.String())
			switch r.outcome {
			case "pass":
				if said := r.said(); said != "" {
					t.Log(said)
				}
			case "skip":
				skipped(t, text)
			case "fail":
				t.Error(text)
			default:
				t.Errorf("did not end\n%s", text)
			}
		})
	}
	t.Logf("%d passed, %d failed, %d skipped, %d did not end", counts["pass"], counts["fail"], counts["skip"],
		counts[""])
}

// parse reads test output, mixed with other lines of the console.
func parse(t *testing.T, output string) (results map[string]*result, order []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "tool", "test2json")
	cmd.Stdin = strings.NewReader(output)
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("go tool test2json: %v", err)
	}
	results = make(map[string]*result)
	for lines := json.NewDecoder(strings.NewReader(string(text))); ; {
		var e event
		if err := lines.Decode(&e); err == io.EOF {
			return results, order
		} else if err != nil {
			t.Fatal(err)
		}
		if e.Test == "" {
			continue
		}
		r := results[e.Test]
		if r == nil {
			r = new(result)
			results[e.Test] = r
			order = append(order, e.Test)
		}
		switch e.Action {
		case "pass", "fail", "skip":
			r.outcome = e.Action
		case "output":
			r.output.WriteString(e.Output)
		}
	}
}
