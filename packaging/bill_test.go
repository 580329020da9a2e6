//go:build release

package packaging

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// component is an entry of the bill of materials, with the checked fields.
type component struct {
	Name, Version, Purl string
	Licenses            []struct{ License struct{ ID string } }
	ExternalReferences  []struct{ URL string }
}

// bill compares the bill of materials with the binaries' own build information, and with the
// licences' texts.
func bill(t *testing.T, dist string) {
	components := map[string]component{}
	text := must.Get(os.ReadFile(one(t, filepath.Join(dist, "*_sbom.cdx.json"))))(t)
	var sbom struct{ Components []component }
	must.Do(t, json.Unmarshal(text, &sbom))
	for _, c := range sbom.Components {
		components[c.Name] = c
		if len(c.Licenses) == 0 || c.Version == "" || c.Purl == "" || len(c.ExternalReferences) == 0 {
			t.Errorf("wants a licence, a version, a package URL and a source: %+v", c)
		}
	}
	inBinaries(t, dist, components)
	inThirdParty(t, dist, components)
	if js, err := os.ReadFile("../results/report/uplot/uPlot.iife.min.js"); err != nil ||
		!strings.Contains(string(js[:100]), "(v"+components["uPlot"].Version+")") {
		t.Errorf("uPlot %q is not what the report has: %.100s (%v)", components["uPlot"].Version, js, err)
	}
}

// inBinaries checks that the bill has each module of a binary, and its Go, at that version.
func inBinaries(t *testing.T, dist string, components map[string]component) {
	for _, arch := range []string{"amd64", "arm64"} {
		modules := 0
		out := run(t, exec.Command("go", "version", "-m", filepath.Join(dist, "dpukv-linux-"+arch)))
		for line := range strings.Lines(out) {
			if words := strings.Fields(line); len(words) > 2 && words[0] == "dep" {
				modules++
				if found := components[words[1]].Version; found != words[2] {
					t.Errorf("%s %s is in the binary for %s, the bill has %q", words[1], words[2], arch, found)
				}
			}
		}
		if std := components["Go standard library"].Version; modules == 0 || std == "" ||
			!strings.Contains(out, ": go"+std+"\n") {
			t.Errorf("%d modules, and the standard library of %q:\n%s", modules, std, out)
		}
	}
}

// title is the first line of an entry of THIRD-PARTY: the licence of a component, or of a package
// below it.
var title = regexp.MustCompile(`(?m)^={80}\n(.*) (\S+): (\S+)$`)

// inThirdParty checks that the bill and the licences' texts name the same components, versions and
// licences.
func inThirdParty(t *testing.T, dist string, components map[string]component) {
	text := run(t, exec.Command("sh", "-c", `tar -xzOf "$1" dpukv/share/doc/dpukv/THIRD-PARTY`, "sh",
		one(t, filepath.Join(dist, "dpukv_*_linux_amd64.tar.gz"))))
	entries := title.FindAllStringSubmatch(text, -1)
	if rules := strings.Count(text, strings.Repeat("=", 80)+"\n"); len(entries) == 0 || len(entries) != rules {
		t.Fatalf("%d of %d entries have a title of NAME VERSION: LICENCE", len(entries), rules)
	}
	told := map[string][]string{} // licences by component
	for _, e := range entries {
		name := e[1]
		for components[name].Name == "" && strings.Contains(name, "/") {
			name = name[:strings.LastIndex(name, "/")]
		}
		if c := components[name]; c.Version != e[2] {
			t.Errorf("%s %s is in THIRD-PARTY, the bill has version %q", e[1], e[2], c.Version)
		}
		told[name] = append(told[name], e[3])
	}
	for name, c := range components {
		var ids []string
		for _, l := range c.Licenses {
			ids = append(ids, l.License.ID)
		}
		slices.Sort(told[name])
		if want := slices.Compact(told[name]); !slices.Equal(ids, want) {
			t.Errorf("%s: the bill has licences %v, THIRD-PARTY %v", name, ids, want)
		}
	}
}
