package placement

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"dpukv/internal/boundedyaml"
)

// maxFaults is how many mistakes of a file are told. Who made more does not read the rest.
const maxFaults = 50

// strictFile reads a YAML file of which every key is known beforehand. It goes on after
// a mistake, so that one reading shows them all, each with its place.
type strictFile struct {
	name   string
	faults []error
}

// at is a place in a file, as compilers write it.
type at struct {
	file         string
	line, column int
}

func (p at) String() string { return fmt.Sprintf("%s:%d:%d", p.file, p.line, p.column) }

func (f *strictFile) place(n ast.Node) at {
	if m, ok := n.(ast.MapNode); ok { // its own token is the first colon
		if it := m.MapRange(); it.Next() {
			n = it.Key()
		}
	}
	return f.placeOf(n.GetToken())
}

func (f *strictFile) placeOf(t *token.Token) at {
	if t == nil || t.Position == nil {
		return at{f.name, 1, 1}
	}
	return at{f.name, t.Position.Line, t.Position.Column}
}

func (f *strictFile) fault(where at, format string, args ...any) {
	f.faults = append(f.faults, fmt.Errorf("%s: %s", where, fmt.Sprintf(format, args...)))
}

func (f *strictFile) err() error {
	if more := len(f.faults) - maxFaults; more > 0 {
		rest := fmt.Errorf("%s: and %d mistakes more", f.name, more)
		return errors.Join(append(f.faults[:maxFaults:maxFaults], rest)...)
	}
	return errors.Join(f.faults...)
}

// entry is one key of a mapping with its value.
type entry struct {
	key   string
	at    at // of the key
	value ast.Node
}

// parse returns the entries at the top of the file.
func (f *strictFile) parse(data []byte) []entry {
	tokens, err := boundedyaml.Tokens(data)
	if fault := new(boundedyaml.Fault); errors.As(err, &fault) {
		f.fault(at{f.name, fault.Line, fault.Column}, "%s", fault.Message)
		return nil
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		f.syntaxFault(err)
		return nil
	}
	var docs []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			docs = append(docs, doc.Body)
		}
	}
	switch len(docs) {
	case 0:
		return nil
	case 1:
		return f.mapping("the file", docs[0])
	}
	f.fault(f.place(docs[1]), "found a second document, allowed: one")
	return nil
}

func (f *strictFile) syntaxFault(err error) {
	var syntax yaml.Error
	if errors.As(err, &syntax) {
		f.fault(f.placeOf(syntax.GetToken()), "%s", syntax.GetMessage())
		return
	}
	f.fault(at{f.name, 1, 1}, "%v", err)
}

// mapping returns the entries of n, in the file's order.
func (f *strictFile) mapping(what string, n ast.Node) []entry {
	m, ok := n.(ast.MapNode)
	if !ok {
		f.fault(f.place(n), "%s: found %s, allowed: keys with values", what, describe(n))
		return nil
	}
	var entries []entry
	for it := m.MapRange(); it.Next(); {
		key, ok := it.Key().(*ast.StringNode)
		if !ok {
			f.fault(f.place(it.Key()), "found the key %s, allowed: a plain word", it.Key())
			continue
		}
		entries = append(entries, entry{key.Value, f.place(key), it.Value()})
	}
	return entries
}

// unknown reports a key that nothing reads.
func (f *strictFile) unknown(e entry, known []string) {
	hint := ""
	if near := nearest(e.key, known); near != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", near)
	}
	f.fault(e.at, "found the unknown key %q%s, allowed: %s", e.key, hint, strings.Join(known, ", "))
}

// scalar returns the text of a single value.
func (f *strictFile) scalar(key string, n ast.Node, allowed string, number bool) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		quoted := n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType
		if !number || !quoted {
			return n.Value, true
		}
	case *ast.IntegerNode, *ast.FloatNode:
		return n.GetToken().Value, true
	case *ast.BoolNode, *ast.NanNode, *ast.InfinityNode: // plain words that YAML gives a meaning
		if !number {
			return n.GetToken().Value, true
		}
	}
	f.fault(f.place(n), "%s: found %s, allowed: %s", key, describe(n), allowed)
	return "", false
}

// describe names what n is, in the words of somebody who wrote the file.
func describe(n ast.Node) string {
	switch n.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.SequenceNode:
		return "a list"
	case ast.MapNode:
		return "keys with values"
	case *ast.AliasNode, *ast.AnchorNode:
		return "an anchor or alias"
	case *ast.TagNode:
		return "a tag"
	case *ast.LiteralNode:
		return "a block of text"
	}
	text := n.GetToken().Value
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	return fmt.Sprintf("%q", text)
}

// nearest is the known word that differs from word by the least, if that is little enough to be a slip.
func nearest(word string, known []string) string {
	const slip = 3
	if len(word) > 40 || len(known) == 0 {
		return ""
	}
	best := slices.MinFunc(known, func(a, b string) int { return cmp.Compare(distance(word, a), distance(word, b)) })
	if distance(word, best) >= min(slip, len(best)) {
		return ""
	}
	return best
}

// distance is the number of letters to insert, remove or replace to make a out of b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
