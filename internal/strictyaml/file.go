package strictyaml

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"dpukv/internal/field"
	"dpukv/internal/foreign"
	"dpukv/internal/spelling"
)

// maxFaults is the number of reported mistakes of a file. Nobody reads more.
const maxFaults = 50

// File reads a YAML file whose keys are all known beforehand. It goes on after a mistake: one
// reading shows all mistakes, each with its place.
type File struct {
	Name   string
	Flag   bool // a flag of the command line, in which a line and a column say nothing
	Faults []error
}

// Position is a place in a file, in the notation of compilers.
type Position struct {
	file         string
	line, column int
}

// String is the place in the notation of compilers: FILE:LINE:COLUMN. The place in a flag is the
// flag's name.
func (p Position) String() string {
	if p.line == 0 {
		return p.file
	}
	return fmt.Sprintf("%s:%d:%d", p.file, p.line, p.column)
}

// Line is the number of the line in the file, from 1; 0 in a flag.
func (p Position) Line() int { return p.line }

// Place is the beginning of a node.
func (f *File) Place(n ast.Node) Position {
	if m, ok := n.(ast.MapNode); ok { // its own token is the first colon
		if it := m.MapRange(); it.Next() {
			n = it.Key()
		}
	}
	return f.placeOf(n.GetToken())
}

// Begin is the first place of the file.
func (f *File) Begin() Position { return f.at(1, 1) }

func (f *File) at(line, column int) Position {
	if f.Flag {
		return Position{file: f.Name}
	}
	return Position{f.Name, line, column}
}

func (f *File) placeOf(t *token.Token) Position {
	if t == nil || t.Position == nil {
		return f.Begin()
	}
	return f.at(t.Position.Line, t.Position.Column)
}

// Fault records a mistake at a place.
func (f *File) Fault(where Position, format string, args ...any) {
	f.Faults = append(f.Faults, fmt.Errorf("%s: %s", where,
		foreign.Line(fmt.Sprintf(format, args...))))
}

// Err returns all mistakes, one a line, or nil if there is none.
func (f *File) Err() error {
	if more := len(f.Faults) - maxFaults; more > 0 {
		rest := fmt.Errorf("%s: and %d mistakes more", f.Name, more)
		return errors.Join(append(f.Faults[:maxFaults:maxFaults], rest)...)
	}
	return errors.Join(f.Faults...)
}

// Entry is one key of a mapping with its value.
type Entry struct {
	Key   string
	At    Position // of the key
	Value ast.Node
}

// Parse returns the entries at the top of the file.
func (f *File) Parse(data []byte) []Entry {
	tokens, err := Tokens(data)
	if fault := new(boundFault); errors.As(err, &fault) {
		f.Fault(f.at(fault.Line, fault.Column), "%s", fault.Message)
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
		return f.Mapping("the file", docs[0])
	}
	f.Fault(f.Place(docs[1]), "found a second document, allowed: one")
	return nil
}

func (f *File) syntaxFault(err error) {
	var syntax yaml.Error
	if errors.As(err, &syntax) {
		f.Fault(f.placeOf(syntax.GetToken()), "%s", syntax.GetMessage())
		return
	}
	f.Fault(f.Begin(), "%v", err)
}

// Mapping returns the entries of n, in the file's order.
func (f *File) Mapping(what string, n ast.Node) []Entry {
	m, ok := n.(ast.MapNode)
	if !ok {
		f.Fault(f.Place(n), "%s: found %s, allowed: keys with values", what, describe(n))
		return nil
	}
	var entries []Entry
	for it := m.MapRange(); it.Next(); {
		key, ok := it.Key().(*ast.StringNode)
		if !ok {
			f.Fault(f.Place(it.Key()), "found the key %s, allowed: a plain word", it.Key())
			continue
		}
		entries = append(entries, Entry{key.Value, f.Place(key), it.Value()})
	}
	return entries
}

// Unknown reports an unknown key.
func (f *File) Unknown(e Entry, known []string) {
	f.Fault(e.At, "found the unknown key %q%s, allowed: %s", e.Key, spelling.Hint(e.Key, known),
		strings.Join(known, ", "))
}

// scalar returns the text of a single value.
func (f *File) scalar(key string, n ast.Node, allowed string, number bool) (string, bool) {
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
	f.Fault(f.Place(n), "%s: found %s, allowed: %s", key, describe(n), allowed)
	return "", false
}

// describe names the kind of n in the words of the file's author.
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

// ReadValue reads a single value with a codec. It records a mistake if there is one.
func ReadValue[T any](
	f *File, name string, n ast.Node, c field.Codec[T],
) (v T, where Position, ok bool) {
	where = f.Place(n)
	if _, isList := n.(*ast.SequenceNode); isList {
		f.Fault(where, "%s: found a list, allowed: one value, %s", name, c.Allowed)
		return v, where, false
	}
	text, ok := f.scalar(name, n, c.Allowed, c.Number)
	if !ok {
		return v, where, false
	}
	v, err := c.Parse(text)
	var secret field.Unquoted
	switch {
	case errors.As(err, &secret):
		f.Fault(where, "%s: %v", name, secret)
	case err != nil:
		f.Fault(where, "%s: found %s%s, allowed: %s", name, describe(n),
			spelling.Hint(text, c.Words), c.Allowed)
	}
	return v, where, err == nil
}
