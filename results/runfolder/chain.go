package runfolder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
)

// chainFiles are the files whose lines are chained, in the order of the run's digest.
var chainFiles = []string{startsFile, envFile, pointsFile}

// chainEnd is the end of a chained line: its last field. It has chainEndBytes at most.
var chainEnd = regexp.MustCompile(`,?"chain":"([0-9a-f]{32})"\}$`)

const chainEndBytes = 44

// digest is the start of a SHA-256, in hexadecimal digits. The lengths keep two lists of parts
// with the same bytes apart.
func digest(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// chainStart is the digest that the first line of a file chains to. It covers the requests.
func (r *Run) chainStart(file string) (string, error) {
	sweep, err := r.Sweep()
	if err != nil {
		return "", err
	}
	testbed, err := r.Testbed()
	return digest([]byte(file), sweep, testbed), err
}

// unchained splits a line into its content and its digest; "": it has none.
func unchained(line []byte) (content []byte, chain string) {
	begin := max(0, len(line)-chainEndBytes)
	at := chainEnd.FindSubmatchIndex(line[begin:])
	if at == nil {
		return line, ""
	}
	return append(bytes.Clone(line[:begin+at[0]]), '}'), string(line[begin:][at[2]:at[3]])
}

// chained gives a JSON object the digest that follows from the digest before it. It replaces the
// digest that the line has from another folder.
func chained(before string, line []byte) ([]byte, string, error) {
	content, _ := unchained(line)
	if len(content) < 2 || content[0] != '{' {
		return nil, "", errors.New("found no JSON object, allowed: one a line")
	}
	after, comma := digest([]byte(before), content), ","
	if len(content) == len("{}") {
		comma = ""
	}
	return fmt.Appendf(content[:len(content)-1], `%s"chain":%q}`, comma, after), after, nil
}

// Link is one line of a chained file.
type Link struct {
	Line  int    // counts from 1, without empty lines
	Found string // the digest in the line; "": an older build wrote it
	Want  string // the digest that follows from the line and from those before it
}

// after is the digest that the next line chains to.
func (l *Link) after() string {
	if l.Found != "" {
		return l.Found // a changed line is named once, not with all lines below it
	}
	return l.Want
}

// Chain is a chained file.
type Chain struct {
	File  string
	Start string
	Links []Link

	content string // the last digest, if all digests follow from the lines as they are now
}

// Head is the digest of the last line. It covers the requests and all lines.
func (c *Chain) Head() string {
	if len(c.Links) == 0 {
		return c.Start
	}
	return c.Links[len(c.Links)-1].after()
}

// Broken returns the first line whose digest does not follow from the lines up to it, nil if there
// is none. Lines without a digest before a line with one are part of its digest.
func (c *Chain) Broken() *Link {
	for i := range c.Links {
		if l := &c.Links[i]; l.Found != "" && l.Found != l.Want {
			return l
		}
	}
	return nil
}

// chain reads a chained file.
func (r *Run) chain(file string) (*Chain, error) {
	start, err := r.chainStart(file)
	if err != nil {
		return nil, err
	}
	c := &Chain{File: file, Start: start, content: start}
	_, err = r.readLines(file, func(line []byte) error {
		content, found := unchained(line)
		want := digest([]byte(c.Head()), content)
		c.content = digest([]byte(c.content), content)
		c.Links = append(c.Links, Link{Line: len(c.Links) + 1, Found: found, Want: want})
		return nil
	})
	return c, err
}

// Chains reads the chained files, in the order of [Digest].
func (r *Run) Chains() ([]Chain, error) {
	var chains []Chain
	for _, file := range chainFiles {
		c, err := r.chain(file)
		if err != nil {
			return nil, err
		}
		chains = append(chains, *c)
	}
	return chains, nil
}

// editedFiles names the chained files whose digests do not follow from their lines. Readers use the
// lines all the same. A file that cannot be read is named by its reader.
func (r *Run) editedFiles() (edited []BadLine) {
	chains, err := r.Chains()
	if err != nil {
		return nil
	}
	for i := range chains {
		if l := chains[i].Broken(); l != nil {
			edited = append(edited, BadLine{
				File: chains[i].File, Line: l.Line, Kept: true, Edited: true,
				Reason: fmt.Sprintf("found the digest %s, the content has %s: the folder was "+
					"changed; dpukv run verify says more", l.Found, l.Want),
			})
		}
	}
	return edited
}

// Digest is the digest of a run: of its requests, and of every line of its chained files as it is
// now. A point has the checksum of its histogram log.
func Digest(chains []Chain) string {
	var parts [][]byte
	for i := range chains {
		parts = append(parts, []byte(chains[i].content))
	}
	return digest(parts...)
}

// Digest is the digest of this run.
func (r *Run) Digest() (string, error) {
	chains, err := r.Chains()
	if err != nil {
		return "", fmt.Errorf("digest of run folder %s: %w", r.Dir(), err)
	}
	return Digest(chains), nil
}

// Chained reports whether a run has a digest in any of its lines. Older builds wrote none.
func Chained(chains []Chain) bool {
	for i := range chains {
		for _, l := range chains[i].Links {
			if l.Found != "" {
				return true
			}
		}
	}
	return false
}
