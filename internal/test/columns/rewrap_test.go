package main

import (
	"strings"
	"testing"
)

// filler is a sentence of 100 columns.
const filler = "Then quick brown fox jumps over the lazy dog, and then it jumps over it again, and again, and again."

func TestRewrap(t *testing.T) {
	const head = "package p\n\n"
	for name, test := range map[string]struct{ text, want string }{
		"short lines stay": {"// a\n// b\n\nvar x int\n", ""},
		"a long line": {
			"// " + filler + "\n// Next.\n\nvar x int\n",
			"// " + strings.TrimSuffix(filler, " again.") + "\n// again. Next.\n\nvar x int\n",
		},
		"paragraphs are apart": {
			"// " + filler + "\n//\n// Next.\n\nvar x int\n",
			"// " + strings.TrimSuffix(filler, " again.") + "\n// again.\n//\n// Next.\n\nvar x int\n",
		},
		"an indent counts": {
			"func f() {\n\t// " + strings.Repeat("four five ", 9) + "four five\n}\n",
			"func f() {\n\t// " + strings.Repeat("four five ", 8) + "four five\n\t// four five\n}\n",
		},
		"indented lines":    {"// A:\n//\n//\t" + filler + "\n//   " + filler + "\n\nvar x int\n", ""},
		"a list":            {"// A list:\n//\n//   - " + filler + "\n//     " + filler + "\n\nvar x int\n", ""},
		"a flat list":       {"// - " + filler + "\n// " + filler + "\n// 1. " + filler + "\n\nvar x int\n", ""},
		"a heading":         {"// # " + filler + "\n\nvar x int\n", ""},
		"a definition":      {"// [a]: " + filler + "\n\nvar x int\n", ""},
		"a table":           {"// a | b | " + filler + "\n// " + filler + "\n\nvar x int\n", ""},
		"columns":           {"// a    b    " + filler + "\n\nvar x int\n", ""},
		"a drawing":         {"// a ──▶ b " + filler + "\n\nvar x int\n", ""},
		"code":              {"// for i := range x " + filler + "\n\nvar x int\n", ""},
		"a brace":           {"// " + filler + " {\n\nvar x int\n", ""},
		"directives":        {"//go:generate " + filler + "\n//nolint:" + filler + "\n\nvar x int\n", ""},
		"a trailing one":    {"var x int // " + filler + "\n", ""},
		"below a trailing":  {"var x int // " + filler + "\n          // " + filler + "\n", ""},
		"below it, by tabs": {"func f() { // a\n\t// " + filler + "\n\tg()\n}\n", ""},
		"below another field": {
			"type T struct {\n\tA int // a\n\t// " + filler + "\n\tB int\n}\n",
			"type T struct {\n\tA int // a\n\t// " + strings.TrimSuffix(filler, " again.") +
				"\n\t// again.\n\tB int\n}\n",
		},
		"a semicolon": {
			"// " + filler + " on;\n// it.\n\nvar x int\n",
			"// " + strings.TrimSuffix(filler, " again.") + "\n// again. on; it.\n\nvar x int\n",
		},
		"a block":           {"/* " + filler + "\n" + filler + " */\n\nvar x int\n", ""},
		"a string":          {"var x = `\n// " + filler + "\n`\n", ""},
		"cgo":               {"// " + filler + "\n// #include <a.h>\nimport \"C\"\n", ""},
		"one long word":     {"// " + strings.Repeat("x", 200) + "\n\nvar x int\n", ""},
		"no blank at first": {"//" + filler + "\n\nvar x int\n", ""},
		"a directive between": {
			"// " + filler + "\n//go:noinline\n// " + filler + "\nfunc f() {}\n",
			"// " + strings.TrimSuffix(filler, " again.") + "\n// again.\n//go:noinline\n// " +
				strings.TrimSuffix(filler, " again.") + "\n// again.\nfunc f() {}\n",
		},
	} {
		if test.want == "" {
			test.want = test.text
		}
		got, err := rewrap("a.go", []byte(head+test.text))
		if err != nil && name != "a directive between" || err == nil && string(got) != head+test.want {
			t.Errorf("%s: found %v\n%s\nwant\n%s", name, err, got, head+test.want)
		}
	}
}

// A word that would mean something at the begin of a line stays behind the one before it.
func TestRewrapKeepsMarksInLine(t *testing.T) {
	for _, mark := range []string{"-", "*", "#", "1.", "b)", "Output:", "+build", "func", "}", "TODO:", "–"} {
		text := "package p\n\n// " + filler[:90] + " beforehand " + mark + " after " + filler + "\n\nvar x int\n"
		for shift := range 25 {
			shifted := strings.Replace(text, "// ", "// "+strings.Repeat("y", shift+1)+" ", 1)
			got, err := rewrap("a.go", []byte(shifted))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(got), "// "+mark) || !strings.Contains(string(got), " beforehand "+mark) {
				t.Errorf("%s begins a line in\n%s", mark, got)
			}
		}
	}
}

func TestRewrapLeavesOutputs(t *testing.T) {
	text := "package p\n\nfunc ExampleA() {\n\t// Output:\n\t// " + filler + filler + "\n}\n"
	if got, err := rewrap("a_test.go", []byte(text)); err != nil || string(got) != text {
		t.Errorf("found %v\n%s", err, got)
	}
}

// TestRewrapTree rewraps all files of the repository in memory: none breaks, and a second time
// changes nothing.
func TestRewrapTree(t *testing.T) {
	files, changed := 0, 0
	err := walk("../../..", func(path string, text []byte) error {
		files++
		once, err := rewrap(path, text)
		if err != nil {
			t.Error(err)
			return nil
		}
		if string(once) != string(text) {
			changed++
		}
		if twice, err := rewrap(path, once); err != nil || string(twice) != string(once) {
			t.Errorf("%s: a second time changes it once more: %v", path, err)
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("found %d files, %v", files, err)
	}
	t.Logf("%d of %d files would change", changed, files)
}

func TestUnchangedFindsWhatBreaks(t *testing.T) {
	const a = "package p\n\n// A word.\nvar x int\n"
	for b, want := range map[string]string{
		a: "",
		"package p\n\n// A\n// word.\nvar x int\n": "",
		"package p\n\n// A word.\nvar y int\n":     "the code differs",
		"package p\n\n// A ward.\nvar x int\n":     "the words",
		"package p\n\nvar x int // A word.\n":      "the words",
		"package p\n\n// A word.\nvar  x int\n":    "gofmt",
		"package p\n\n// A word.\nvar x 'int\n":    "line 4",
	} {
		err := unchanged([]byte(a), []byte(b))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %v, want %q", b, err, want)
		}
	}
}
