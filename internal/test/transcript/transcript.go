package transcript

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// keys are the lines of a header, in their order, with the form of their values.
var keys = []struct {
	name string
	form *regexp.Regexp
}{
	{"command", regexp.MustCompile(`^\w`)},
	{"release", regexp.MustCompile(`^(DOCA \d+\.\d+(\.\d+)?|not told)$`)},
	{"source", regexp.MustCompile(`.{20}`)},
	{"kind", regexp.MustCompile(`^from (documentation|a card)$`)},
	{"read", regexp.MustCompile(`^20\d\d-\d\d-\d\d$`)},
	{"note", regexp.MustCompile(`.`)},
}

// Read returns the output in a transcript. A header in another form fails the test.
func Read(t *testing.T, file string) string {
	t.Helper()
	text := must.Get(os.ReadFile(file))(t)
	_, output, err := parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return output
}

// parse splits a transcript into its header, by keys, and the output.
func parse(text string) (header map[string]string, output string, err error) {
	head, output, _ := strings.Cut(text, "\n\n")
	header = map[string]string{}
	lines := strings.Split(head, "\n")
	if len(lines) != len(keys) {
		return nil, "", fmt.Errorf("found a header of %d lines, allowed: %d", len(lines), len(keys))
	}
	for i, k := range keys {
		value, ok := strings.CutPrefix(lines[i], "# "+k.name+": ")
		if !ok || !k.form.MatchString(value) {
			return nil, "", fmt.Errorf("found the header's line %q, allowed: # %s: and a value "+
				"of the form %s", lines[i], k.name, k.form)
		}
		header[k.name] = value
	}
	if strings.TrimSpace(output) == "" {
		return nil, "", errors.New("found no output after the header")
	}
	return header, output, nil
}
