package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// module is the prefix that PACKAGE lacks.
const module = "dpukv/"

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// cutShort is what a test logs that does less in a short run.
const cutShort = "a short run: "

// recorder collects the outcome of each test over all files.
type recorder struct {
	ran     map[string]bool
	skipped map[string]*strings.Builder // what the test printed
	cut     []string                    // tests that ran, and did less than in a full run
}

func newRecorder() *recorder {
	return &recorder{ran: map[string]bool{}, skipped: map[string]*strings.Builder{}}
}

// readFile adds one file.
func (r *recorder) readFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := r.read(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// read adds the events of one run. A run without any test is an error: nothing was recorded.
func (r *recorder) read(from io.Reader) error {
	printed := map[string]*strings.Builder{}
	tests := 0
	for events := json.NewDecoder(from); ; {
		var e event
		if err := events.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("found %w, allowed: the output of go test -json", err)
		}
		if e.Test == "" {
			continue
		}
		name := strings.TrimPrefix(e.Package, module) + "." + e.Test
		if printed[name] == nil {
			printed[name] = new(strings.Builder)
		}
		switch e.Action {
		case "output":
			printed[name].WriteString(e.Output)
		case "pass", "fail":
			r.ran[name] = true
			if strings.Contains(printed[name].String(), cutShort) {
				r.cut = append(r.cut, name)
			}
			tests++
		case "skip":
			r.skipped[name] = printed[name]
			tests++
		}
	}
	if tests == 0 {
		return errors.New("found no test, want the output of go test -json: run the whole stage")
	}
	return nil
}

// skips are the tests that no run ran, in the form that the list's expressions match.
func (r *recorder) skips() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(r.skipped)) {
		if !r.ran[name] {
			lines = append(lines, name+": "+words(r.skipped[name].String()))
		}
	}
	return lines
}

var (
	needs  = regexp.MustCompile(`needs the program (\S+), which is not installed`)
	folder = regexp.MustCompile(`^[^.]*`) // of the package
)

// missing has a line for each program without which tests were left out.
func (r *recorder) missing() (lines []string) {
	tests, folders := map[string]int{}, map[string]map[string]bool{}
	for _, skip := range r.skips() {
		if found := needs.FindStringSubmatch(skip); found != nil {
			name := found[1]
			if tests[name]++; folders[name] == nil {
				folders[name] = map[string]bool{}
			}
			folders[name][folder.FindString(skip)] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		of := strings.Join(slices.Sorted(maps.Keys(folders[name])), ", ")
		lines = append(lines, fmt.Sprintf(
			"without %s, which is not installed: tests left out: %d, of %s", name, tests[name], of))
	}
	return lines
}

// words is what a test printed, as one line and without go test's own lines.
func words(output string) string {
	var kept []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, " ")
}
