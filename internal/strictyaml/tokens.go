package strictyaml

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// The bounds are far beyond any sweep, testbed or profile.
const (
	MaxBytes      = 256 << 10
	maxBlankLines = 100 // one after the other
	maxTokens     = 50_000
	maxDepth      = 8
	maxKeyBytes   = 128
	maxSpecials   = 100 // anchors, aliases, tags and explicit keys
)

// boundFault is the reason why a file is unfit to be parsed, with its place.
type boundFault struct {
	Line, Column int
	Message      string
}

// Error implements error.
func (f *boundFault) Error() string { return fmt.Sprintf("%d:%d: %s", f.Line, f.Column, f.Message) }

// Tokens returns the tokens of a file that the library parses within bounds. The error is a fault
// with its place.
func Tokens(text []byte) (token.Tokens, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	tokens := lexer.Tokenize(string(text))
	var b bounds
	for _, t := range tokens {
		if message := b.add(t); message != "" {
			return nil, &boundFault{t.Position.Line, t.Position.Column, message}
		}
	}
	return tokens, nil
}

// checkText checks for text that the scanner must not see.
func checkText(text []byte) error {
	if len(text) > MaxBytes {
		return &boundFault{
			1, 1, fmt.Sprintf("found %d bytes, allowed: at most %d", len(text), MaxBytes),
		}
	}
	blank, line := 0, 1
	for _, c := range text {
		switch c {
		case '\n', '\r':
			line++
			if blank++; blank > maxBlankLines {
				return &boundFault{
					line, 1,
					fmt.Sprintf("found more than %d blank lines in a row, allowed: at most that "+
						"many",
						maxBlankLines),
				}
			}
		case ' ', '\t':
		default:
			blank = 0
		}
	}
	return nil
}

// bounds counts the content of a file so far.
type bounds struct {
	tokens, specials int
	flow             int   // open brackets and braces
	columns          []int // of the blocks that are open
	last             *token.Token
}

// add counts one more token. It returns the token's fault, or "".
func (b *bounds) add(t *token.Token) string {
	before := b.last
	b.last = t
	if b.tokens++; b.tokens > maxTokens {
		return fmt.Sprintf("found more than %d words and signs, allowed: at most that many",
			maxTokens)
	}
	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		b.flow++
	case token.SequenceEndType, token.MappingEndType:
		b.flow = max(0, b.flow-1)
	case token.SequenceEntryType:
		b.block(t)
	case token.MappingValueType:
		if before != nil {
			if len(before.Value) > maxKeyBytes {
				return fmt.Sprintf("found a key of %d bytes, allowed: at most %d",
					len(before.Value), maxKeyBytes)
			}
			b.block(before)
		}
	case token.AnchorType, token.AliasType, token.TagType, token.MappingKeyType:
		if b.specials++; b.specials > maxSpecials {
			return fmt.Sprintf("found more than %d anchors, aliases, tags and ?, allowed: so many",
				maxSpecials)
		}
	}
	if depth := b.flow + len(b.columns); depth > maxDepth {
		return fmt.Sprintf("found lists and keys nested %d deep, allowed: at most %d", depth,
			maxDepth)
	}
	return ""
}

// block counts a list's dash or a mapping's key. Within brackets, columns mean nothing.
func (b *bounds) block(t *token.Token) {
	if b.flow > 0 {
		return
	}
	column := t.Position.Column
	n := len(b.columns)
	for n > 0 && b.columns[n-1] >= column {
		n--
	}
	b.columns = append(b.columns[:n], column)
}
