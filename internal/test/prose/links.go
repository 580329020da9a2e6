package prose

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var (
	link       = regexp.MustCompile(`\]\(\s*<?([^()\s>]*(?:\([^()\s]*\)[^()\s]*)*)>?(?: "[^"]*")?\s*\)`)
	definition = regexp.MustCompile(`^ {0,3}\[[^\]]+\]:\s+(\S+)`)
	scheme     = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
)

// checkLinks finds relative links of the page at path, below root, that lead nowhere.
func checkLinks(root, path, page string) (problems []string) {
	for i, l := range parse(page) {
		if l.kind == source || l.kind == output {
			continue
		}
		shown := inlineCode.ReplaceAllString(l.text, "")
		matches := append(link.FindAllStringSubmatch(shown, -1),
			definition.FindAllStringSubmatch(shown, -1)...)
		for _, m := range matches {
			if why := broken(root, path, page, m[1]); why != "" {
				problems = append(problems, fmt.Sprintf(
					"%s:%d: found a link to %s, %s", path, i+1, m[1], why))
			}
		}
	}
	return problems
}

// broken says why a link leads nowhere; "" if it does not.
func broken(root, path, page, to string) string {
	if scheme.MatchString(to) {
		return ""
	}
	if strings.HasPrefix(to, "/") {
		return "allowed is a path relative to the page: shorten it"
	}
	file, fragment, _ := strings.Cut(to, "#")
	if file != "" {
		at := filepath.Join(root, filepath.Dir(path), filepath.FromSlash(file))
		info, err := os.Stat(at)
		switch {
		case err != nil:
			return "which does not exist: correct the path"
		case fragment == "":
			return ""
		case info.IsDir() || filepath.Ext(at) != ".md":
			return "allowed are anchors of pages (.md): remove the anchor"
		}
		text, err := os.ReadFile(at)
		if err != nil {
			return err.Error()
		}
		page = string(text)
	}
	if !anchors(page)[fragment] {
		return "whose page has no such heading: correct the anchor"
	}
	return ""
}

var (
	markup    = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	htmlNamed = regexp.MustCompile(`<[a-z]+ (?:id|name)="([^"]+)"`)
)

// anchors are the fragments of a page: GitHub's of its headings, and those that HTML names.
func anchors(page string) map[string]bool {
	found, times := map[string]bool{}, map[string]int{}
	for _, l := range parse(page) {
		if l.kind == heading {
			a := anchor(headingMark.ReplaceAllString(l.text, ""))
			if n := times[a]; n > 0 {
				found[a+"-"+strconv.Itoa(n)] = true
			} else {
				found[a] = true
			}
			times[a]++
		}
		for _, m := range htmlNamed.FindAllStringSubmatch(l.text, -1) {
			found[m[1]] = true
		}
	}
	return found
}

// anchor is the fragment that GitHub gives a heading.
func anchor(heading string) string {
	heading = markup.ReplaceAllString(strings.TrimRight(heading, " #"), "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}
