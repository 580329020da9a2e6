package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

const folder = "../../../placement/submode/testdata/transcripts"

// TestHeaders: each transcript has its header and lies in its release's folder. The README beside
// them names it.
func TestHeaders(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d transcripts in %s: %v", len(files), folder, err)
	}
	readme := must.Get(os.ReadFile(filepath.Join(folder, "README.md")))(t)
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		header, _, err := parse(string(text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		release := filepath.Base(filepath.Dir(file))
		version, told := strings.CutPrefix(release, "doca-")
		if want := "DOCA " + version; told && !strings.HasPrefix(header["release"]+".", want+".") ||
			!told && (release != "undated" || header["release"] != "not told") {
			t.Errorf("%s: found release %q", file, header["release"])
		}
		if name := release + "/" + filepath.Base(file); !strings.Contains(string(readme), name) {
			t.Errorf("%s: found no %s in README.md beside it", file, name)
		}
	}
}

const right = `# command: mst status
# release: not told
# source: a document with a title and an address
# kind: from documentation
# read: 2026-11-22
# note: none

output
`

func TestParse(t *testing.T) {
	for change, want := range map[string]string{
		"":                                "",
		"# read: 2026-11-22\n":            "header of 5 lines",
		"from documentation":              "kind",
		"not told":                        "release",
		"output":                          "no output",
		"a document with a title and an ": "source",
	} {
		text := right
		if change != "" {
			text = strings.Replace(right, change, "", 1)
		}
		_, output, err := parse(text)
		if want == "" && (err != nil || output != "output\n") ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("without %q: found %q, %v, want %q", change, output, err, want)
		}
	}
}
