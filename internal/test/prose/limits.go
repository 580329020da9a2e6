package prose

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits.
const (
	maxSentenceWords = 40
	maxColumns       = 100
)

// maxWords are the limits of pages that must stay short, because everybody should read them.
var maxWords = map[string]int{
	"README.md":      900,
	"docs/METHOD.md": 1500,
}

// checkWords counts the words of a page as wc -w does, so that everybody can check it.
func checkWords(path, page string) []string {
	most, limited := maxWords[path]
	count := len(strings.Fields(page))
	if !limited || count <= most {
		return nil
	}
	return []string{fmt.Sprintf(
		"%s:1: found %d words, allowed %d: move reference to the pages of its subjects",
		path, count, most)}
}

// words counts the words of a text.
func words(s string) int {
	count := 0
	for _, field := range strings.Fields(s) {
		if strings.ContainsFunc(field, func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r)
		}) {
			count++
		}
	}
	return count
}

// sentenceEnd is the mark after a sentence, with what may close after it.
var sentenceEnd = regexp.MustCompile(`[.!?]["')\]*_”]*\s+`)

// abbreviations end with a full stop that ends no sentence.
var abbreviations = []string{"e.g.", "i.e.", "cf.", "vs.", "etc.", "ca.", "approx."}

// sentences splits a block. Each sentence comes with the number of lines before it.
func sentences(s string) (list []block) {
	start, from := 0, 0
	for {
		at := sentenceEnd.FindStringIndex(s[from:])
		if at == nil {
			break
		}
		from += at[1]
		if abbreviated(s[start : from-(at[1]-at[0])+1]) {
			continue
		}
		list = append(list, block{strings.Count(s[:start], "\n"), strings.TrimSpace(s[start:from])})
		start = from
	}
	if rest := strings.TrimSpace(s[start:]); rest != "" {
		list = append(list, block{strings.Count(s[:start], "\n"), rest})
	}
	return list
}

func abbreviated(s string) bool {
	for _, a := range abbreviations {
		if strings.HasSuffix(strings.ToLower(s), a) {
			return true
		}
	}
	return false
}

// checkSentences finds sentences that are too long.
func checkSentences(path, page string) (problems []string) {
	for _, b := range blocks(parse(page)) {
		for _, s := range sentences(readable(b.text)) {
			if n := words(s.text); n > maxSentenceWords {
				problems = append(problems, fmt.Sprintf(
					"%s:%d: found a sentence of %d words (%q), allowed %d: split it",
					path, b.line+s.line, n, beginning(s.text), maxSentenceWords))
			}
		}
	}
	return problems
}

// beginning is the first words of a sentence.
func beginning(s string) string {
	fields := strings.Fields(s)
	if len(fields) > 6 {
		fields = append(fields[:6:6], "…")
	}
	return strings.Join(fields, " ")
}

// checkColumns finds lines that are too long.
func checkColumns(path, page string) (problems []string) {
	for i, l := range parse(page) {
		if l.kind == table || l.kind == output {
			continue
		}
		counted := address.ReplaceAllString(target.ReplaceAllString(l.text, "]"), "")
		if n := utf8.RuneCountInString(counted); n > maxColumns {
			problems = append(problems, fmt.Sprintf(
				"%s:%d: found %d columns, allowed %d: wrap the line", path, i+1, n, maxColumns))
		}
	}
	return problems
}
