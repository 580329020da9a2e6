package pages

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// Machine is the place where a page is followed.
type Machine struct {
	Bare   bool // it has nothing but a release's files
	Run    func(line string) (output []byte, err error)
	Write  func(file, text string) error
	NotRun func(line, needs string)
}

var fence = regexp.MustCompile("(?ms)^```([a-z]+)(?: ([^\n]*))?\n(.*?)^```$")

// Follow runs the blocks of a page. Every failure is an error of the test.
func Follow(t *testing.T, path string, m *Machine) {
	t.Helper()
	for _, b := range blocks(t, path) {
		m.follow(t, b[1], b[2], b[3])
	}
}

// File is the text of a page's block of this language that is a file, or a change to one.
func File(t *testing.T, path, language, file string) string {
	t.Helper()
	for _, b := range blocks(t, path) {
		if b[1] == language && b[2] == file {
			return b[3]
		}
	}
	t.Fatalf("%s: found no block ```%s %s", path, language, file)
	return ""
}

// blocks are the fenced blocks of a page. Each has its whole text, its language, its info and its
// content.
func blocks(t *testing.T, path string) [][]string {
	t.Helper()
	page := must.Get(os.ReadFile(path))(t)
	blocks := fence.FindAllStringSubmatch(string(page), -1)
	if fences := strings.Count("\n"+string(page), "\n```"); fences != 2*len(blocks) {
		t.Errorf("%s: %d lines begin with ```, in %d blocks that have a language",
			path, fences, len(blocks))
	}
	return blocks
}

func (m *Machine) follow(t *testing.T, language, info, text string) {
	t.Helper()
	word, what, _ := strings.Cut(info, " ")
	switch {
	case language == "yaml" && info != "":
		if err := m.Write(info, text); err != nil {
			t.Error(err)
		}
	case (language == "go" || language == "diff") && info != "":
		m.NotRun(info, "dpukv's source")
	case language == "sh" && (info == "" || info == "bare" && m.Bare):
		each(text, func(line string) {
			if out, err := m.Run(line); err != nil {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		})
	case language == "sh" && info == "bare":
		each(text, func(line string) { m.NotRun(line, "a bare machine and a release's files") })
	case language == "sh" && word == "elsewhere" && what != "":
		each(text, func(line string) { m.NotRun(line, what) })
	default:
		t.Errorf("found a block ```%s %s, allowed: sh, sh bare, sh elsewhere WHAT, yaml FILE, "+
			"go FILE, diff FILE", language, info)
	}
}

// each calls f for the lines that are commands.
func each(text string, f func(line string)) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			f(line)
		}
	}
}
