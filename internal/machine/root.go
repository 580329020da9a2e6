package machine

import (
	"os"
	"path/filepath"
	"strings"
)

// root is the folder that contains proc and sys: "/", or a made-up machine in the tests.
type root string

// read returns a file's text without surrounding blanks, or "" if the file cannot be read.
func (r root) read(path string) string {
	data, err := os.ReadFile(filepath.Join(string(r), path))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// exists reports whether path is there.
func (r root) exists(path string) bool {
	_, err := os.Stat(filepath.Join(string(r), path))
	return err == nil
}

// glob lists the paths that match pattern, below the root, in lexical order.
func (r root) glob(pattern string) []string {
	matches, _ := filepath.Glob(filepath.Join(string(r), pattern))
	for i, m := range matches {
		matches[i], _ = filepath.Rel(string(r), m)
	}
	return matches
}

// chosen is the bracketed word of a line such as "always [madvise] never".
func chosen(line string) string {
	_, rest, found := strings.Cut(line, "[")
	word, _, closed := strings.Cut(rest, "]")
	if !found || !closed {
		return ""
	}
	return word
}
