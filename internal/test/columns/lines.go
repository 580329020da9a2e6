package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

// The limits, and what a tab counts.
const (
	maxColumns     = 100
	maxTestColumns = 120
	tabColumns     = 4
)

// limitOf is the limit of a file.
func limitOf(path string) int {
	if strings.HasSuffix(path, "_test.go") {
		return maxTestColumns
	}
	return maxColumns
}

// width is the number of columns of a text.
func width(s string) int {
	columns := 0
	for _, r := range s {
		if r == '\t' {
			columns += tabColumns
		} else {
			columns++
		}
	}
	return columns
}

// longLine is a line above the limit.
type longLine struct{ number, columns int }

var (
	address   = regexp.MustCompile(`https?://[^\s)>"\x60]+`)
	directive = regexp.MustCompile(`^\s*//(?:[^\s/]|\s*\+build )`)
	indented  = regexp.MustCompile(`^\s*//\t`)
	printed   = regexp.MustCompile(`^\s*// ?(?i:(?:unordered )?output:)`)
)

// tooLong finds the lines of a file that are too long.
func tooLong(path string, text []byte) ([]longLine, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("read a Go file: %w", err)
	}
	counted := blankRawStrings(files, file, text)
	exempt := exemptLines(files, file, path)
	var long []longLine
	for i, line := range strings.Split(string(counted), "\n") {
		line = address.ReplaceAllString(strings.TrimSuffix(line, "\r"), "")
		free := exempt[i+1] || directive.MatchString(line) || indented.MatchString(line)
		if n := width(line); n > limitOf(path) && !free {
			long = append(long, longLine{i + 1, n})
		}
	}
	return long, nil
}

// blankRawStrings removes raw strings from a file, tags of struct fields among them, but for the
// ends of their lines.
func blankRawStrings(files *token.FileSet, file *ast.File, text []byte) []byte {
	var kept []byte
	end := 0
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING || literal.Value[0] != '`' {
			return true
		}
		from, to := files.Position(literal.Pos()).Offset, files.Position(literal.End()).Offset
		kept = append(kept, text[end:from]...)
		kept = append(kept, strings.Repeat("\n", strings.Count(string(text[from:to]), "\n"))...)
		end = to
		return true
	})
	return append(kept, text[end:]...)
}

// exemptLines are the lines of comments that say what an example prints.
func exemptLines(files *token.FileSet, file *ast.File, path string) map[int]bool {
	exempt := map[int]bool{}
	if !strings.HasSuffix(path, "_test.go") {
		return exempt
	}
	for _, group := range file.Comments {
		below := false
		for _, c := range group.List {
			if below = below || printed.MatchString(c.Text); below {
				exempt[files.Position(c.Pos()).Line] = true
			}
		}
	}
	return exempt
}
