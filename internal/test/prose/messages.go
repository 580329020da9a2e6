package prose

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// banned are the words that no message has, with what to write instead.
var banned = []struct {
	word    *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bdoubts?\b`), `write "warning"`},
	{regexp.MustCompile(`(?i)\bseats?\b`), `name the thing: a slot, a connection, a role`},
	{regexp.MustCompile(`(?i)\bobituar(y|ies)\b`), `write "exit reason"`},
	{regexp.MustCompile(`\ballowed (is|are)\b`), `write "found …, allowed: …"`},
	{regexp.MustCompile(`[,:;] want\b|, got %`), `write "found …, allowed: …"`},
}

// noMessages are the folders whose strings no user reads, or which have another form so far.
var noMessages = []string{
	"bench", "internal/test", "internal/offheap", "kvs/internal/simulation",
	"placement/emulate/keeper", "verbs/ibverbs",
}

// checkMessages finds the banned words in the strings of the product below root.
func checkMessages(root string) (problems []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case d.IsDir() && rel != "." && !hasMessages(rel):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(rel) != ".go" || strings.HasSuffix(rel, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found, err := checkStrings(rel, text)
		problems = append(problems, found...)
		return err
	})
	return problems, err
}

// hasMessages reports whether users read strings of a folder. Packages for tests end in "test".
func hasMessages(folder string) bool {
	for _, no := range noMessages {
		if folder == no {
			return false
		}
	}
	name := filepath.Base(folder)
	return name != "testdata" && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, "test")
}

// checkStrings finds the banned words in the strings of one file. Tags of fields are no messages.
func checkStrings(path string, text []byte) (problems []string, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			field.Tag = nil
		}
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		s, ok := constant(e)
		if !ok {
			return true
		}
		for _, b := range banned {
			if word := b.word.FindString(s); word != "" {
				problems = append(problems, fmt.Sprintf("%s:%d: found %q in the message %q, "+
					"allowed: none; %s", path, set.Position(e.Pos()).Line, word, s, b.instead))
			}
		}
		return false
	})
	return problems, nil
}

// constant joins the strings of a chain. It returns false for everything else.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		}
	case *ast.BinaryExpr:
		left, ok := constant(e.X)
		right, ok2 := constant(e.Y)
		return left + right, ok && ok2 && e.Op == token.ADD
	}
	return "", false
}
