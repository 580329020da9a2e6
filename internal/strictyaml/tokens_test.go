package strictyaml

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/parser"
)

// grow repeats a text up to about the greatest allowed size.
func grow(unit string) string { return strings.Repeat(unit, (MaxBytes-64)/len(unit)) }

func nested(open, shut string, n int) string {
	return strings.Repeat(open, n) + "1" + strings.Repeat(shut, n)
}

// indented nests keys below each other.
func indented(unit string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", 2*i) + unit + "\n")
	}
	return b.String()
}

func TestRefused(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"nested lists": {
			nested("[", "]", 30_000),
			"1:9: found lists and keys nested 9 deep, allowed: at most 8",
		},
		"lists without ends":  {strings.Repeat("[", 200_000), "1:9: found lists and keys nested 9 deep"},
		"nested mappings":     {nested("{a: ", "}", 30_000), "nested 9 deep"},
		"dashes":              {strings.Repeat("- ", 30_000) + "1", "1:17: found lists and keys nested 9 deep"},
		"indented keys":       {indented("a:", 100), "nested 9 deep"},
		"dashes and brackets": {nested("- - - - [[[[[", "]]]]]", 1), "nested 9 deep"},
		"explicit keys":       {strings.Repeat("? ", 30_000), "found more than 100 anchors"},
		"anchors":             {strings.Repeat("&a ", 30_000), "found more than 100 anchors"},
		"tags":                {strings.Repeat("!a ", 30_000), "found more than 100 anchors"},
		"aliases":             {"[" + strings.Repeat("*a,", 30_000), "found more than 100 anchors"},
		"blank lines": {
			"a: |\n" + strings.Repeat("\n", 60_000),
			"102:1: found more than 100 blank lines in a row",
		},
		"lines of blanks": {"a: |\n" + strings.Repeat(" \t\r\n", 20_000), "found more than 100 blank lines in a row"},
		"a long key":      {strings.Repeat("k", 129) + ": 1", "found a key of 129 bytes, allowed: at most 128"},
		"many values":     {"[" + grow("1,"), "found more than 50000 words and signs"},
		"a long file":     {strings.Repeat("#", MaxBytes+1), "1:1: found 262145 bytes, allowed: at most 262144"},
	} {
		var fault *boundFault
		_, err := Tokens([]byte(test.text))
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

func TestTaken(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":          "",
		"a list of lists":  "a:\n- - 1\n  - 2\n- [3, [4]]\n",
		"keys after depth": indented("a:", 8) + "b: 1\n" + indented("c:", 8),
		"many values":      "a: [" + strings.Repeat("1,", 20_000) + "1]\n",
		"blank lines":      "a: 1" + strings.Repeat("\n", 100) + "b: 2\n",
		"a testbed":        "nodes:\n  a: {kind: host, cpus: 0-3}\nplacements:\n  x: {client: [a], server: a}\n",
	} {
		if _, err := Tokens([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMemory: reading takes no more than this for any file. The test counts allocations, which
// neither a busy machine nor a collection changes.
func TestMemory(t *testing.T) {
	const most = 256 << 20
	deepest := indented(strings.Repeat("k", maxKeyBytes)+":", maxDepth-1) +
		strings.Repeat(" ", 2*maxDepth)
	for name, text := range map[string]string{
		"nested lists":   nested("[", "]", 100_000),
		"flat list":      "[" + strings.Repeat("1,", maxTokens/2-10) + "1]",
		"deep and broad": deepest + "[" + strings.Repeat("1,", maxTokens/2-100) + "1]",
		"keys":           grow("a: 1\n"),
		"comments":       grow("# c\n"),
		"text":           "a: |\n" + grow(" x\n"),
		"blank lines":    "a: |\n" + grow(" x"+strings.Repeat("\n", 99)),
		"blanks":         "a: |\n" + grow(" x\n"+strings.Repeat(" \n", 98)),
		"quote":          "a: \"" + grow("x\n"),
		"quotes":         grow(`"`),
		"documents":      grow("---\n"),
		"anchors":        grow("&a "),
		"dashes":         grow("- "),
		"one word":       grow("x"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if tokens, err := Tokens([]byte(text)); err == nil {
			_, _ = parser.Parse(tokens, 0)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > most {
			t.Errorf("%s: %d bytes took %d MiB, want at most %d", name, len(text), took>>20, most>>20)
		} else {
			t.Logf("%s: %d bytes took %d MiB", name, len(text), took>>20)
		}
	}
}
