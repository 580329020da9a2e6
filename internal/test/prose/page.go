package prose

import (
	"regexp"
	"strings"
)

// kind is what a line of a page belongs to.
type kind int

const (
	text    kind = iota
	blank        // ends a block of text
	heading      // a block of its own
	table
	source // a line of a code block with a language
	output // a line of a code block without one, or of an indented block
	fence  // the begin or the end of a code block
)

// line is a line of a page.
type line struct {
	kind kind
	text string
	item bool // a list item begins here
}

var (
	fenceMark   = regexp.MustCompile("^ {0,3}(```+|~~~+)(.*)$")
	itemMark    = regexp.MustCompile(`^\s*(?:[-*+]|\d+[.)])\s+`)
	headingMark = regexp.MustCompile(`^ {0,3}#{1,6}\s+`)
	indented    = regexp.MustCompile(`^(?: {4}|\t)`)
)

// parse sorts the lines of a page. The line with the number n has the index n-1.
func parse(page string) []line {
	var lines []line
	open, inside := "", output // the mark that closes the code block, and the kind of its lines
	inList, before := false, blank
	for l := range strings.SplitSeq(strings.TrimSuffix(page, "\n"), "\n") {
		mark := fenceMark.FindStringSubmatch(l)
		parsed := line{text: l}
		switch {
		case open != "" && mark != nil && strings.HasPrefix(mark[1], open) && mark[2] == "":
			open, parsed.kind = "", fence
		case open != "":
			parsed.kind = inside
		case mark != nil:
			open, inside, parsed.kind = mark[1], source, fence
			if strings.TrimSpace(mark[2]) == "" {
				inside = output
			}
		case strings.TrimSpace(l) == "":
			parsed.kind = blank
		case strings.HasPrefix(strings.TrimSpace(l), "|"):
			parsed.kind = table
		case headingMark.MatchString(l):
			parsed.kind, inList = heading, false
		case indented.MatchString(l) && !inList && (before == blank || before == output):
			parsed.kind = output
		case itemMark.MatchString(l):
			parsed.item, inList = true, true
		case before == blank && l[0] != ' ':
			inList = false
		}
		lines, before = append(lines, parsed), parsed.kind
	}
	return lines
}

// block is a paragraph, a list item or a heading.
type block struct {
	line int // the number of its first line
	text string
}

// blocks joins the lines of text to blocks.
func blocks(lines []line) []block {
	var list []block
	open := false
	for i, l := range lines {
		switch {
		case l.kind == heading:
			list = append(list, block{i + 1, headingMark.ReplaceAllString(l.text, "")})
			open = false
		case l.kind != text:
			open = false
		case l.item || !open:
			list = append(list, block{i + 1, itemMark.ReplaceAllString(l.text, "")})
			open = true
		default:
			list[len(list)-1].text += "\n" + strings.TrimSpace(l.text)
		}
	}
	return list
}

var (
	inlineCode = regexp.MustCompile("(?s)``.+?``|`[^`]+`")
	target     = regexp.MustCompile(`\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?: "[^"]*")?\)`)
	address    = regexp.MustCompile(`<?https?://[^\s)>]+>?`)
)

// readable is the text as it is read: without the targets of links. A URL stays as one word.
func readable(s string) string {
	s = inlineCode.ReplaceAllStringFunc(s, func(code string) string {
		return "`" + strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \n\t.!?", r) {
				return '_'
			}
			return r
		}, strings.Trim(code, "`")) + "`"
	})
	s = target.ReplaceAllString(s, "]")
	return address.ReplaceAllString(s, "URL")
}
