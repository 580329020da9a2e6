package reference

import (
	"fmt"
	"strings"
)

// Columns is the width of the generated text; tables are exempt.
const Columns = 100

// page is a generated page of Markdown.
type page struct{ strings.Builder }

func newPage(title string) *page {
	p := new(page)
	fmt.Fprintf(p, "# %s\n\n", title)
	p.paragraph("This page is generated from the code. " +
		"`go test ./cmd/dpukv -run TestReference -update` writes it.")
	return p
}

func (p *page) heading(level int, text string) {
	fmt.Fprintf(p, "%s %s\n\n", strings.Repeat("#", level), text)
}

// paragraph writes the text in lines of at most [Columns].
func (p *page) paragraph(text string) {
	width := 0
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case width+1+n > Columns:
			p.WriteString("\n")
			width = 0
		default:
			p.WriteString(" ")
			width++
		}
		p.WriteString(word)
		width += n
	}
	p.WriteString("\n\n")
}

// code writes lines as an indented block, which no test runs.
func (p *page) code(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n ")
		if line != "" {
			line = "    " + line
		}
		p.WriteString(line + "\n")
	}
	p.WriteString("\n")
}

// table writes rows below a header; the cells are Markdown.
func (p *page) table(header []string, rows [][]string) {
	line := func(cells []string) {
		p.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	line(header)
	p.WriteString(strings.Repeat("|---", len(header)) + "|\n")
	for _, cells := range rows {
		line(cells)
	}
	p.WriteString("\n")
}

func (p *page) text() string { return strings.TrimRight(p.String(), "\n") + "\n" }

var escapes = strings.NewReplacer(
	`|`, `\|`, `<`, `&lt;`, `*`, `\*`, `[`, `\[`, "`", "\\`", "\n", " ")

// plain writes text of the code as Markdown that shows it as it is.
func plain(text string) string { return escapes.Replace(text) }

// inline writes text as inline code; "" stays "".
func inline(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}
