package examples

import (
	"cmp"
	"embed"
	"regexp"
	"slices"
	"strings"
)

//go:embed both.yaml designs.yaml fig8-local.yaml fig8.yaml fig9-local.yaml fig9.yaml
//go:embed fig11-local.yaml fig11.yaml filters.yaml lynx-fig9.yaml lynx-neighbour.yaml machine.yaml
//go:embed mica.yaml peers.yaml placements-quick.yaml search.yaml split.yaml three-stores.yaml
var sweeps embed.FS

// Sweep is an example of a sweep file.
type Sweep struct {
	Name    string
	Summary string // the first sentence of the file
	text    string
}

// Sweeps returns the examples, sorted by name.
func Sweeps() []Sweep {
	files, err := sweeps.ReadDir(".")
	if err != nil {
		panic(err) // they are built in
	}
	var list []Sweep
	for _, f := range files {
		text, err := sweeps.ReadFile(f.Name())
		if err != nil {
			panic(err)
		}
		list = append(list, Sweep{
			strings.TrimSuffix(f.Name(), ".yaml"), firstSentence(string(text)), string(text),
		})
	}
	slices.SortFunc(list, func(a, b Sweep) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Read returns the example with this name, as it is in this folder.
func Read(name string) ([]byte, error) { return sweeps.ReadFile(name + ".yaml") }

var sentence = regexp.MustCompile(`^.*?[.?](?: |$)`)

// firstSentence returns the first sentence of the comment with which a file begins.
func firstSentence(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok || comment == "" {
			break
		}
		words = append(words, strings.TrimSpace(comment))
	}
	all := strings.Join(words, " ")
	return strings.TrimRight(cmp.Or(sentence.FindString(all), all), ". ")
}

// elsewhere matches a file of this folder in a comment.
var elsewhere = regexp.MustCompile(`examples/([a-z0-9-]+)\.yaml`)

// Text returns the sweep file. Its comments name it as file, and other examples without a folder.
func (s *Sweep) Text(file string) string {
	text := strings.ReplaceAll(s.text, "examples/"+s.Name+".yaml", file)
	return elsewhere.ReplaceAllString(text, "$1.yaml")
}

// command matches a command in a comment.
var command = regexp.MustCompile(`(?m)^#   (dpukv .*?)(?: +#.*)?$`)

// Command returns the first command that the text of a sweep file names.
func Command(text string) string {
	m := command.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

// Testbeds returns the kinds of testbeds that the sweep's own commands use.
func (s *Sweep) Testbeds() (kinds []string) {
	for _, m := range elsewhere.FindAllStringSubmatch(s.text, -1) {
		if m[1] != s.Name {
			kinds = append(kinds, m[1])
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}
