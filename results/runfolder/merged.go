package runfolder

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"dpukv/internal/folder"
	"dpukv/internal/strictyaml"
	"dpukv/results"
)

// The states of a source's chain of digests.
const (
	ChainOK     = "ok"
	ChainBroken = "broken" // a line was changed
	ChainNone   = "none"   // an older build wrote the folder
)

// Source is one of the run folders that a folder was merged from.
type Source struct {
	Folder string `yaml:"folder"` // as it was named
	Digest string `yaml:"digest"` // of the run, as it was then
	Chain  string `yaml:"chain"`  // "ok", "broken" or "none"
	Points int    `yaml:"points"` // in it
	// digest of its sweep and testbed, so that the chain of the merged folder covers them
	Requests string `yaml:"requests"`
}

// merged is the sweep.yaml of a merged folder.
type merged struct {
	MergedFrom []Source `yaml:"merged_from"`
}

// mergedKey begins a merged folder's sweep.yaml.
const mergedKey = "merged_from:"

// MergedFrom returns the sources of a merged folder; nil: a sweep wrote the folder.
func (r *Run) MergedFrom() ([]Source, error) {
	text, err := r.Sweep()
	if err != nil || !strings.HasPrefix(string(text), mergedKey) {
		return nil, err
	}
	var m merged
	if _, err = strictyaml.Tokens(text); err == nil {
		err = yaml.Unmarshal(text, &m)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.in.Path(sweepFile), err)
	}
	return m.MergedFrom, nil
}

// Requests returns the sweep of source n of a merged folder, counted from 1, and checks it and the
// testbed against their digest.
func (r *Run) Requests(n int, of *Source) (sweep []byte, err error) {
	in, err := r.in.Sub(sourceName(n))
	if err != nil {
		return nil, err
	}
	source := &Run{in}
	if sweep, err = source.Sweep(); err != nil {
		return nil, err
	}
	testbed, err := source.Testbed()
	if err != nil {
		return nil, err
	}
	if found := digest(sweep, testbed); found != of.Requests {
		return nil, fmt.Errorf("%s: found the digest %s of sweep and testbed, %s has %s: a file "+
			"was changed", source.Dir(), found, sweepFile, of.Requests)
	}
	return sweep, nil
}

func sourceName(n int) string { return path.Join(sourcesFolder, strconv.Itoa(n)) }

// CreateMerged makes dir a run folder that is merged from sources, with their sweeps and testbeds.
func CreateMerged(dir string, sources []Source, runs []*Run) (*Writer, error) {
	texts := make([][2][]byte, len(runs))
	for i, run := range runs {
		sweep, err1 := run.Sweep()
		testbed, err2 := run.Testbed()
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		texts[i], sources[i].Requests = [2][]byte{sweep, testbed}, digest(sweep, testbed)
	}
	sweep, err := yaml.Marshal(merged{sources})
	if err != nil {
		return nil, err
	}
	w, err := Create(dir, sweep, nil)
	if err != nil {
		return nil, err
	}
	for i, of := range texts {
		source, err := w.in.Make(sourceName(i + 1))
		if err == nil {
			err = writeRequests(source, of[0], of[1])
		}
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	return w, nil
}

// writeRequests writes a sweep and a testbed (nil: there is none) into a folder. The sweep comes
// last: it is what makes the folder a run folder.
func writeRequests(in *folder.Folder, sweep, testbed []byte) error {
	if testbed != nil {
		if err := in.Replace(testbedFile, testbed); err != nil {
			return err
		}
	}
	return in.Replace(sweepFile, sweep)
}

// Content is a digest of a point. Two points are one if all of their fields agree but those that
// depend on the folder.
type Content [sha256.Size]byte

// ContentOf returns the content of a point.
func ContentOf(p *results.Point) Content {
	free := *p
	free.ID, free.Chain, free.Source = "", "", 0
	text, err := json.Marshal(&free)
	if err != nil {
		text = []byte(p.ID)
	}
	return sha256.Sum256(text)
}

// again stands between the ID of a point and the number of the points with it. No sweep makes an ID
// with it.
const again = "~"

// NextID is the ID of the n-th point with an ID, counted from 1.
func NextID(id string, n int) string {
	if n == 1 {
		return id
	}
	return id + again + strconv.Itoa(n)
}

// FirstID is the ID that [NextID] had.
func FirstID(id string) string {
	first, _, _ := strings.Cut(id, again)
	return first
}
