package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestTooLong(t *testing.T) {
	const head = "package p\n\n"
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, test := range map[string]struct{ path, text, want string }{
		"fits":                {"a.go", "// " + x(97) + "\n", ""},
		"comment":             {"a.go", "// " + x(98) + "\n", "[{3 101}]"},
		"letters, not bytes":  {"a.go", "// " + strings.Repeat("ä", 97) + "\n", ""},
		"tabs":                {"a.go", "var (\n\ta = `` // " + x(85) + "\n)\n", ""},
		"tabs count 4":        {"a.go", "var (\n\ta = 1 // " + x(88) + "\n)\n", "[{4 101}]"},
		"test":                {"a_test.go", "// " + x(117) + "\n", ""},
		"test, too long":      {"a_test.go", "// " + x(118) + "\n", "[{3 121}]"},
		"URL":                 {"a.go", "// See https://a.example/" + x(100) + " for it.\n", ""},
		"URL in a string":     {"a.go", "const a = \"https://a.example/" + x(100) + "\"\n", ""},
		"beside a URL":        {"a.go", "// " + x(98) + " https://a.example\n", "[{3 102}]"},
		"tag":                 {"a.go", "type T struct {\n\tA int `json:\"" + x(100) + "\"`\n}\n", ""},
		"beside a tag":        {"a.go", "type T struct {\n\tA int `json` // " + x(90) + "\n}\n", "[{4 104}]"},
		"raw string":          {"a.go", "const a = `" + x(100) + "\n" + x(200) + "\n" + x(150) + "`\n", ""},
		"below a raw string":  {"a.go", "const a = `\n\n`\n\n// " + x(100) + "\n", "[{7 103}]"},
		"string":              {"a.go", "const a = \"" + x(100) + "\"\n", "[{3 112}]"},
		"directive":           {"a.go", "//go:generate " + x(100) + "\n", ""},
		"no directive":        {"a.go", "// go:generate " + x(100) + "\n", "[{3 115}]"},
		"table":               {"a.go", "// a\n//\n//\t" + x(100) + "\n", ""},
		"output":              {"a_test.go", "func ExampleA() {\n\t// Output:\n\t// " + x(150) + "\n}\n", ""},
		"output, not a test":  {"a.go", "func ExampleA() {\n\t// Output:\n\t// " + x(150) + "\n}\n", "[{5 157}]"},
		"output in a string":  {"a_test.go", "const a = \"// Output:\"\n// " + x(150) + "\n", "[{4 153}]"},
		"comment of a C kind": {"a.go", "/*\n" + x(101) + "\n*/\n", "[{4 101}]"},
	} {
		got, err := tooLong(test.path, []byte(head+test.text))
		if want := test.want; err != nil || fmt.Sprint(got) != want && (got != nil || want != "") {
			t.Errorf("%s: found %v, %v, want %s", name, got, err, want)
		}
	}
	if _, err := tooLong("a.go", []byte("no code")); err == nil {
		t.Error("found no error for a file that is not Go")
	}
}
