package sweep

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"dpukv/internal/strictyaml"
	"dpukv/load"
)

// sizesOf returns which sizes a key allows; nil: its values are no sizes, and name no files.
func sizesOf(key string) *load.SizesOf {
	for _, f := range load.Axes() {
		if f.Key == key {
			return load.SizesFor(&f)
		}
	}
	return nil
}

// Embed replaces the names of files in a sweep file by the contents of those files. So the text of
// a run folder needs no other file. A text without such names stays as it is. read returns a file's
// content.
func Embed(name string, text []byte, read func(path string) ([]byte, error)) ([]byte, error) {
	f := strictyaml.File{Name: name}
	lines := strings.SplitAfter(string(text), "\n")
	for _, e := range f.Parse(text) {
		if sizesOf(e.Key) == nil {
			continue
		}
		nodes := items(e.Value)
		for i := len(nodes) - 1; i >= 0; i-- { // the last first: places before it stay the same
			if err := embed(&f, lines, e.Key, nodes[i], read); err != nil {
				return nil, err
			}
		}
	}
	return []byte(strings.Join(lines, "")), nil
}

// embed replaces one value, if it names a file.
func embed(
	f *strictyaml.File, lines []string, key string, n ast.Node,
	read func(path string) ([]byte, error),
) error {
	word, isText := n.(*ast.StringNode)
	if !isText {
		return nil
	}
	path, isFile := strings.CutPrefix(word.Value, load.SizesFile)
	if !isFile {
		return nil
	}
	sizes, err := readSizes(path, sizesOf(key), read)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", f.Place(n), key, err)
	}
	at := word.Token.Position
	line := lines[at.Line-1]
	from := columnAt(line, at.Column)
	for _, written := range []string{word.Value, `"` + word.Value + `"`, "'" + word.Value + "'"} {
		if rest, ok := strings.CutPrefix(line[from:], written); ok {
			lines[at.Line-1] = line[:from] + sizes + rest
			return nil
		}
	}
	return fmt.Errorf("%s: %s: found %q, allowed: %sPATH on one line, plain or in quotes",
		f.Place(n), key, word.Value, load.SizesFile)
}

// Embed replaces the names of files in settings by the contents of those files.
func (set Settings) Embed(read func(path string) ([]byte, error)) error {
	for _, s := range set {
		for i, value := range s.Values {
			kind := sizesOf(s.Key)
			path, isFile := strings.CutPrefix(value, load.SizesFile)
			if kind == nil || !isFile {
				continue
			}
			sizes, err := readSizes(path, kind, read)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", setFlag, s.Key, err)
			}
			s.Values[i] = sizes
		}
	}
	return nil
}

// readSizes returns the content of a file of sizes, in the words of a sweep file.
func readSizes(
	path string, kind *load.SizesOf, read func(path string) ([]byte, error),
) (string, error) {
	data, err := read(path)
	if err != nil {
		return "", err
	}
	mean, sizes, err := kind.ParseFile(path, data)
	return sizes.Text(mean), err
}

// columnAt returns the place in bytes of a column, which counts characters from 1.
func columnAt(line string, column int) (at int) {
	for ; column > 1 && at < len(line); column-- {
		_, n := utf8.DecodeRuneInString(line[at:])
		at += n
	}
	return at
}
