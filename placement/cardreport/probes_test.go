package cardreport

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// TestProbesOfTranscripts: a report has all that makes an emulated card: each command of which there
// is a transcript.
func TestProbesOfTranscripts(t *testing.T) {
	files, err := filepath.Glob("../submode/testdata/transcripts/*/*.txt")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %q, %v", files, err)
	}
	var probes []string
	for _, p := range slices.Concat(everywhere, ofCard(pci), ofPort("p0"), ofPort("enp8s0f0")) {
		probes = append(probes, strings.Join(p.Run, " "))
	}
	for _, file := range files {
		header, _, _ := strings.Cut(string(must.Get(os.ReadFile(file))(t)), "\n")
		command := strings.TrimPrefix(header, "# command: ")
		if strings.HasPrefix(command, "the huge pages") {
			continue // three of the probes have them
		}
		words := slices.DeleteFunc(strings.Fields(command), func(w string) bool {
			return strings.HasPrefix(w, "--") || strings.ContainsAny(w, "@:")
		})
		if !slices.ContainsFunc(probes, func(p string) bool {
			return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(p, w) })
		}) {
			t.Errorf("%s: no probe has %q", file, words)
		}
	}
}
