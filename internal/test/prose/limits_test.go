package prose

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func long(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }

func TestSentences(t *testing.T) {
	for s, want := range map[string]int{
		"One. Two! Three? Four":                         4,
		"Version 1.5 of a.b costs 2.5 ns.":              1,
		"It takes e.g. one, i.e. two. Then it ends.":    2,
		"He says \"stop.\" Then (he goes.) That is it.": 3,
		"One: two; three, four":                         1,
		"a … and so on":                                 1,
		"":                                              0,
	} {
		if got := len(sentences(s)); got != want {
			t.Errorf("%q: found %d sentences, want %d", s, got, want)
		}
	}
}

func TestLongSentences(t *testing.T) {
	for page, want := range map[string]string{
		long(40) + ".\n": "",
		"Short.\n\nTwo\nlines. " + long(41) + ".\n":                   "p.md:4: found a sentence of 41 words",
		long(20) + "\n" + long(21) + "\n":                             "p.md:1: found a sentence of 41 words",
		"- " + long(39) + "\n- " + long(39) + "\n":                    "",
		"- " + long(39) + "\n  on and on\n":                           "p.md:1: found a sentence of 42 words",
		"# " + long(41) + "\n":                                        "p.md:1: found",
		"| " + long(80) + " |\n\n```\n" + long(80) + "\n```\n":        "",
		"`" + long(80) + "` is one word.\n":                           "",
		"[" + long(38) + "](a.md) and `one` – two.\n":                 "p.md:1: found a sentence of 41 words",
		long(30) + "; " + long(30) + ": " + long(10) + "\n\n    code": "p.md:1: found a sentence of 70 words",
	} {
		got := strings.Join(checkSentences("p.md", page), "\n")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: found %q, want %q", page, got, want)
		}
	}
}

func TestColumns(t *testing.T) {
	wide := strings.Repeat("x", 101)
	for page, want := range map[string]string{
		strings.Repeat("ä", 100) + "\n":                     "",
		"\n" + wide + "\n":                                  "p.md:2: found 101 columns, allowed 100: wrap the line",
		"| " + wide + " |\n":                                "",
		"```\n" + wide + "\n```\n":                          "",
		"    " + wide + "\n":                                "",
		"```sh\n" + wide + "\n```\n":                        "p.md:2: found 101",
		"see https://a.example/" + wide + "\n":              "",
		"see [a](docs/" + wide + ".md#b)\n":                 "",
		"see [" + wide + "](a.md)\n":                        "p.md:1: found 107",
		"- " + wide + "\n":                                  "p.md:1: found 103",
		"```sh elsewhere two hosts\n# " + wide + "\n```\n":  "p.md:2: found 103",
		"text [" + wide[:50] + "](" + wide + "), and so on": "",
	} {
		got := strings.Join(checkColumns("p.md", page), "\n")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: found %q, want %q", page, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	page := "# One two\n\nthree [four](five.md) – `six seven`\n\n| eight | 9 |\n\n```sh\nten eleven\n```\n"
	for path, most := range maxWords {
		full := page + strings.Repeat("word ", most-17)
		if got := checkWords(path, full); got != nil {
			t.Errorf("%s: found %q, want nothing", path, got)
		}
		want := fmt.Sprintf("%s:1: found %d words, allowed %d", path, most+1, most)
		if got := checkWords(path, full+"more"); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("found %q, want %q", got, want)
		}
	}
	if got := checkWords("docs/other.md", long(5000)); got != nil {
		t.Errorf("found %q for a page without a limit, want nothing", got)
	}
}

// TestShortPages: a page that was renamed would lose its limit.
func TestShortPages(t *testing.T) {
	all, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	for path := range maxWords {
		if !slices.Contains(all, path) {
			t.Errorf("found no page %s", path)
		}
	}
}
