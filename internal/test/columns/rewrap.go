package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// rewrap wraps the paragraphs of a file's comments that have a line that is too long.
func rewrap(path string, text []byte) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("read a Go file: %w", err)
	}
	lines := strings.Split(string(text), "\n")
	exempt := exemptLines(files, file, path)
	preambles := cgoPreambles(file)
	// From the end, so that the numbers of lines above stay as they are.
	for _, group := range slices.Backward(file.Comments) {
		first, last := files.Position(group.Pos()).Line, files.Position(group.End()).Line
		if !preambles[group] && !continued(lines, first-1) && whole(lines[first-1:last]) {
			wrapped := rewrapGroup(lines[first-1:last], first, exempt)
			lines = slices.Replace(lines, first-1, last, wrapped...)
		}
	}
	wrapped := []byte(strings.Join(lines, "\n"))
	if bytes.Equal(wrapped, text) {
		return text, nil
	}
	if err := unchanged(text, wrapped); err != nil {
		return nil, fmt.Errorf("%s: rewrapping would break the file: %w", path, err)
	}
	return wrapped, nil
}

// cgoPreambles are the comments above import "C", which are code.
func cgoPreambles(file *ast.File) map[*ast.CommentGroup]bool {
	preambles := map[*ast.CommentGroup]bool{}
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok || general.Tok != token.IMPORT {
			continue
		}
		for _, spec := range general.Specs {
			if imported := spec.(*ast.ImportSpec); imported.Path.Value == `"C"` {
				preambles[general.Doc], preambles[imported.Doc] = true, true
			}
		}
	}
	return preambles
}

// continued reports whether the comment that begins in the line with this index may go on with the
// one at the end of the line above: it stands further to the right than that line.
func continued(lines []string, index int) bool {
	if index == 0 {
		return false
	}
	above := lines[index-1]
	return strings.Contains(above, "//") && !whole([]string{above}) &&
		len(indentOf(lines[index])) > len(indentOf(above))
}

func indentOf(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, "\t "))]
}

// whole reports whether all lines are // comments and nothing else.
func whole(lines []string) bool {
	return !slices.ContainsFunc(lines, func(l string) bool {
		return !strings.HasPrefix(strings.TrimLeft(l, "\t "), "//")
	})
}

// rewrapGroup wraps the paragraphs of a comment. first is the number of its first line.
func rewrapGroup(lines []string, first int, exempt map[int]bool) []string {
	indent := indentOf(lines[0])
	var wrapped, paragraph []string
	flush := func() {
		wrapped = append(wrapped, rewrapParagraph(indent, paragraph)...)
		paragraph = nil
	}
	below := false // a list item that goes on, until a blank line
	for i, line := range lines {
		text := strings.TrimLeft(line, "\t ")[2:]
		switch {
		case exempt[first+i] || !prose(text):
			flush()
			wrapped = append(wrapped, line)
			below = false
		case below || item.MatchString(text):
			flush()
			wrapped = append(wrapped, line)
			below = true
		default:
			paragraph = append(paragraph, line)
		}
	}
	flush()
	return wrapped
}

var (
	item       = regexp.MustCompile(`^ (?:[-*+•–—]|\d+[.):]|[a-zA-Z]\)) `)
	definition = regexp.MustCompile(`^ \[[^\]]+\]: `)
	drawing    = regexp.MustCompile(`[│┌┐└┘├┤┬┴┼─━═╴╶▶◀▲▼]|\|.*\||-->|<--|==>|----|\S  +\S|\t.*\S`)
	code       = regexp.MustCompile(`\{$|\);$|^ [})]|:= |^ (?:func|type|var|const|import|package) \w`)
)

// prose reports whether the text after // belongs to a paragraph.
func prose(text string) bool {
	return len(text) > 1 && text[0] == ' ' && text[1] != ' ' && text[1] != '\t' &&
		strings.TrimSpace(text) != "" && !strings.HasPrefix(text, " #") &&
		!strings.HasPrefix(text, " +build ") && !definition.MatchString(text)
}

// rewrapParagraph breaks a paragraph anew, if one of its lines is too long.
func rewrapParagraph(indent string, lines []string) []string {
	var words []string
	long := false
	for _, line := range lines {
		text := strings.TrimRight(strings.TrimLeft(line, "\t ")[2:], " \t\r")
		if drawing.MatchString(text) || code.MatchString(text) || strings.HasSuffix(line, "\r") {
			return lines
		}
		long = long || width(line) > maxColumns
		words = append(words, strings.Split(strings.TrimSpace(text), " ")...)
	}
	if !long {
		return lines
	}
	return fill(indent+"//", glued(words))
}

// unbreakable are words that would mean something at the begin of a line.
var unbreakable = regexp.MustCompile(
	`^(?:[-*+•–—#]+|#.*|\d+[.):]|[a-zA-Z]\)|\+build|\[[^\]]+\]:|(?i:(?:unordered|output:).*)|func|type|var|const|import|package|[})].*|Deprecated:|BUG\(.*|TODO.*|Code)$`)

// glued joins a word that must not begin a line with the one before it.
func glued(words []string) []string {
	var units []string
	for i, word := range words {
		if i > 0 && unbreakable.MatchString(word) {
			units[len(units)-1] += " " + word
		} else {
			units = append(units, word)
		}
	}
	return units
}

// fill makes lines of the units that are not longer than the limit, where a unit is not.
func fill(prefix string, units []string) []string {
	var lines []string
	line := prefix
	for _, unit := range units {
		if line != prefix && width(line)+1+width(unit) > maxColumns {
			lines = append(lines, line)
			line = prefix
		}
		line += " " + unit
	}
	return append(lines, line)
}

// unchanged returns an error if b has other code or other words in its comments than a, or is not
// as gofmt writes it although a is.
func unchanged(a, b []byte) error {
	codeA, wordsA, err := tokens(a)
	if err != nil {
		return err
	}
	codeB, wordsB, err := tokens(b)
	switch {
	case err != nil:
		return err
	case !slices.Equal(codeA, codeB):
		return errors.New("the code differs")
	case !slices.Equal(wordsA, wordsB):
		return errors.New("the words of the comments differ")
	case isFormatted(a) && !isFormatted(b):
		return errors.New("gofmt would change it")
	}
	return nil
}

func isFormatted(text []byte) bool {
	formatted, err := format.Source(text)
	return err == nil && bytes.Equal(formatted, text)
}

// tokens are the code of a file, and the words of its comments with the code that follows each.
func tokens(text []byte) (code, words []string, err error) {
	files := token.NewFileSet()
	var s scanner.Scanner
	report := func(at token.Position, message string) {
		err = fmt.Errorf("line %d: %s", at.Line, message)
	}
	s.Init(files.AddFile("", -1, len(text)), text, report, scanner.ScanComments)
	for {
		_, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return code, words, err
		case token.COMMENT:
			after := fmt.Sprint(len(code), " ")
			if !strings.HasPrefix(literal, "//") {
				words = append(words, after+literal)
				continue
			}
			for _, word := range strings.Fields(literal[2:]) {
				words = append(words, after+word)
			}
		default:
			code = append(code, kind.String()+" "+literal)
		}
	}
}
