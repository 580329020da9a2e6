package runfolder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// Head is head.json: where the chained files ended when a sweep last closed the folder. It tells
// lines that were cut off the end from lines that never were. A sweep that was killed leaves the
// head of an earlier close, or none.
type Head struct {
	Digest string              `json:"digest"`
	Files  map[string]HeadFile `json:"files"`
}

// HeadFile is the end of one chained file.
type HeadFile struct {
	Lines int    `json:"lines"`
	Chain string `json:"chain"`
}

// headOf describes the ends of chained files.
func headOf(chains []Chain) Head {
	head := Head{Digest: Digest(chains), Files: map[string]HeadFile{}}
	for i := range chains {
		head.Files[chains[i].File] = HeadFile{len(chains[i].Links), chains[i].Head()}
	}
	return head
}

// Head returns head.json, nil if there is none.
func (r *Run) Head() (*Head, error) {
	text, err := r.in.Read(headFile, maxYAMLBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var head Head
	if err == nil {
		err = json.Unmarshal(text, &head)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.in.Path(headFile), err)
	}
	return &head, nil
}

// Compare tells how a chained file differs from its end in the head: how many lines came after it,
// and as an error, that lines of that end are not there.
func (h *Head) Compare(c *Chain) (more int, wrong error) {
	end, there := h.Files[c.File]
	if !there {
		return len(c.Links), nil
	}
	if end.Lines > len(c.Links) {
		return 0, fmt.Errorf("%s: found %d lines, %s has %d: lines were removed", c.File,
			len(c.Links), headFile, end.Lines)
	}
	upTo := Chain{Start: c.Start, Links: c.Links[:end.Lines]}
	if found := upTo.Head(); found != end.Chain {
		return 0, fmt.Errorf("%s, line %d: found the digest %s, %s has %s: lines were changed, "+
			"or removed", c.File, end.Lines, found, headFile, end.Chain)
	}
	return len(c.Links) - end.Lines, nil
}

// continueChains lets the next lines follow from those on the disk, and names lines that somebody
// changed.
func (w *Writer) continueChains() error {
	chains, err := w.Chains()
	if err != nil {
		return err
	}
	for i, j := range []*journal{w.starts, w.env, w.points} {
		c := &chains[i]
		j.chain = c.Head()
		if l := c.Broken(); l != nil {
			w.repairs = append(w.repairs, fmt.Sprintf("%s, line %d: found the digest %s, its "+
				"content has %s: the folder was changed, see dpukv run verify %s", c.File, l.Line,
				l.Found, l.Want, w.Dir()))
		}
	}
	w.seals = true
	return nil
}

// seal writes head.json, unless somebody else changed the files.
func (w *Writer) seal() error {
	for _, j := range w.journals() {
		if j.broken != nil || j.unchanged() != nil {
			return nil
		}
	}
	chains, err := w.Chains()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(headOf(chains), "", "  ")
	if err != nil {
		return err
	}
	return w.in.Replace(headFile, append(text, '\n'))
}
