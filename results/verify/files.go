package verify

import (
	"fmt"
	"path/filepath"
	"strings"

	"dpukv/results/runfolder"
)

// lines checks that every line can be read.
func (f *folder) lines() Check {
	var faults []string
	_, badEnv, err1 := f.Env()
	_, badStarts, err2 := f.Starts()
	for _, err := range []error{err1, err2} {
		if err != nil {
			faults = append(faults, err.Error())
		}
	}
	for _, bad := range [][]runfolder.BadLine{f.bad, badEnv, badStarts} {
		for _, b := range bad {
			if b.Edited {
				continue // the check of the chain tells it
			}
			if filepath.Dir(b.File) == "." { // the check of the logs names the others
				faults = append(faults, b.String())
			}
		}
	}
	var found []string
	for i := range f.chains {
		found = append(found, fmt.Sprintf("%d in %s", len(f.chains[i].Links), f.chains[i].File))
	}
	return outcome("lines", strings.Join(found, ", "), faults)
}

// chain checks the digests of the lines.
func (f *folder) chain() Check {
	var faults []string
	lines, without := 0, 0
	for i := range f.chains {
		c := &f.chains[i]
		for _, l := range c.Links {
			lines++
			if l.Found == "" {
				without++
			}
		}
		if l := c.Broken(); l != nil {
			faults = append(faults, fmt.Sprintf("%s, line %d: found the digest %s, its content "+
				"has %s: this line was changed, or what is before it, sweep.yaml or testbed.yaml",
				c.File, l.Line, l.Found, l.Want))
		}
	}
	found := count(lines, "line")
	if without > 0 {
		found = fmt.Sprintf("%d of %d lines have no digest: an older dpukv wrote them", without,
			lines)
	}
	c := outcome("chain", found, faults)
	if c.Outcome == OK && without > 0 {
		c.Outcome = Unknown
	}
	return c
}

// end checks that no lines are missing at the ends of the files.
func (f *folder) end() Check {
	head, err := f.Head()
	switch {
	case err != nil:
		return outcome("end", "head.json can't be read", []string{err.Error()})
	case head == nil && f.chained:
		return Check{Name: "end", Outcome: Unknown, Found: "no head.json: the sweep runs, was " +
			"killed, or somebody removed the file"}
	case head == nil:
		return Check{Name: "end", Outcome: Unknown, Found: "no head.json: an older dpukv wrote " +
			"the folder"}
	}
	var faults []string
	later := 0
	for i := range f.chains {
		more, wrong := head.Compare(&f.chains[i])
		if later += more; wrong != nil {
			faults = append(faults, wrong.Error())
		}
	}
	if later > 0 && len(faults) == 0 {
		return Check{Name: "end", Outcome: Unknown, Found: count(later, "line") + " came after " +
			"head.json: the sweep runs, or was killed"}
	}
	return outcome("end", "as in head.json", faults)
}

// digest compares the run's digest with the one from elsewhere.
func (f *folder) digest() Check {
	is := runfolder.Digest(f.chains)
	if f.Expected == "" && !f.chained {
		return Check{Name: "digest", Outcome: Unknown, Found: "an older dpukv printed none"}
	}
	if f.Expected == "" {
		return Check{Name: "digest", Outcome: Unknown, Found: is + ": compare it with the one " +
			"that the sweep printed at its end (--digest)"}
	}
	var faults []string
	if f.Expected != is {
		faults = []string{fmt.Sprintf("found the digest %s, allowed: %s: the folder was changed "+
			"after that, or continued", is, f.Expected)}
	}
	return outcome("digest", is, faults)
}

// uncovered lists what no check looks at: a change of it shows nowhere.
func (f *folder) uncovered() Check {
	files, err := f.Uncovered()
	if err != nil {
		return outcome("uncovered", "a folder can't be read", []string{err.Error()})
	}
	var said []string
	figures := 0
	for _, name := range files {
		if runfolder.InFigures(name) {
			figures++
		} else {
			said = append(said, name)
		}
	}
	if figures > 0 {
		said = append(said, count(figures, "file")+" in figures/")
	}
	if said == nil {
		return outcome("uncovered", "no file", nil)
	}
	return Check{Name: "uncovered", Outcome: Unknown, Found: "no digest covers " +
		strings.Join(said, ", ")}
}
