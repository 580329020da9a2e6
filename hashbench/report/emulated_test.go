package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/hashbench/result/resulttest"
	"dpukv/internal/test/must"
)

// reader shows reports, and returns the files that it made in a folder.
type reader func(w io.Writer, m []Machine, dir string) ([]string, error)

// readers are all functions that show reports.
var readers = map[string]reader{
	"WriteTable":  text(func(w io.Writer, m []Machine) error { return WriteTable(w, m[0].Report) }),
	"WriteBench":  text(func(w io.Writer, m []Machine) error { return WriteBench(w, m[0].Report) }),
	"Compare":     text(Compare),
	"DrawFigures": func(_ io.Writer, m []Machine, dir string) ([]string, error) { return DrawFigures(dir, m) },
	"DrawStudy":   func(_ io.Writer, m []Machine, dir string) ([]string, error) { return DrawStudy(dir, m, Page{}) },
}

func text(show func(io.Writer, []Machine) error) reader {
	return func(w io.Writer, m []Machine, _ string) ([]string, error) { return nil, show(w, m) }
}

// wordsOf returns the words of an SVG file. A figure breaks its lines.
func wordsOf(t *testing.T, path string) string {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(must.Get(os.ReadFile(path))(t)))
	var words []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(words, " ")
		}
		must.Do(t, err)
		if data, ok := token.(xml.CharData); ok {
			words = append(words, strings.Fields(string(data))...)
		}
	}
}

// TestReadersNameTheEmulator: whatever shows a report from an emulator names it, in each of its
// files, calls no time of it equal to a core's, and gives it no clock.
func TestReadersNameTheEmulator(t *testing.T) {
	const emulator = "an emulator (arm64 on x86_64), whose times are no core's"
	for name, show := range readers {
		for _, place := range []int{0, 1} { // before a real machine, or behind it
			machines := []Machine{{"host", resulttest.Report(1, "Xeon")}, {"bf2", resulttest.Report(1, "Xeon")}}
			machines[place].Machine.Emulator = "arm64 on x86_64"
			if strings.HasPrefix(name, "Write") {
				machines = machines[place : place+1] // they show the first alone
			}
			var b bytes.Buffer
			var texts []string
			for _, path := range must.Get(show(&b, machines, t.TempDir()))(t) {
				if filepath.Ext(path) == ".svg" {
					texts = append(texts, wordsOf(t, path))
				}
			}
			if texts == nil {
				texts = []string{b.String()}
			}
			for _, text := range texts {
				if !strings.Contains(text, emulator) ||
					strings.Contains(text, "not told apart)") || strings.Contains(text, "one core") ||
					strings.Count(text, "core at ") != strings.Count(text, "Xeon, aarch64") {
					t.Errorf("%s with the emulator as number %d: found\n%s", name, place, text)
				}
			}
		}
	}
}

// TestAllReadersAreThere: each function that other packages call is among the readers.
func TestAllReadersAreThere(t *testing.T) {
	for _, path := range must.Get(filepath.Glob("*.go"))(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, d := range must.Get(parser.ParseFile(token.NewFileSet(), path, nil, 0))(t).Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv == nil && f.Name.IsExported() && readers[f.Name.Name] == nil {
				t.Errorf("%s: %s is not among the readers", path, f.Name.Name)
			}
		}
	}
}
