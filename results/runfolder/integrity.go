package runfolder

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path"
	"slices"
	"strings"

	"dpukv/results"
)

// castagnoli is the polynomial of CRC-32C, which CPUs compute.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(log []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(log, castagnoli)) }

// verifyHlog compares a histogram log with the length and the checksum in its point. Points of
// older builds have neither.
func verifyHlog(p *results.Point, log []byte) error {
	if p.HlogBytes == 0 {
		return nil
	}
	if found := int64(len(log)); found != p.HlogBytes {
		return fmt.Errorf("found %d bytes, its point has %d: the file is "+
			"incomplete", found, p.HlogBytes)
	}
	if found := checksum(log); found != p.HlogCRC32C {
		return fmt.Errorf("found the checksum %s, its point has %s: the file was changed", found,
			p.HlogCRC32C)
	}
	return nil
}

// damagedFiles names the files of the folder that are not whole. Of histogram logs it looks at the
// sizes only: a folder may have thousands.
func (r *Run) damagedFiles(points []results.Point) []BadLine {
	bad := badLines{file: sweepFile}
	if info, err := r.in.Stat(sweepFile); err == nil && info.Size() == 0 {
		bad.add(0, "found an empty file: the sweep file is lost")
	}
	for i := range points {
		if p := &points[i]; p.HlogBytes > 0 && results.CheckID(p.ID) == nil {
			bad.file = histName(p.ID)
			bad.add(0, r.hlogDamage(p))
		}
	}
	bad.file = histFolder
	return bad.all()
}

func (r *Run) hlogDamage(p *results.Point) string {
	info, err := r.in.File(histName(p.ID))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("found no file, its point has %d bytes", p.HlogBytes)
	case err != nil:
		return err.Error()
	case info.Size() != p.HlogBytes:
		return fmt.Sprintf("found %d bytes, its point has %d: the file is incomplete", info.Size(),
			p.HlogBytes)
	}
	return ""
}

// Log returns the histogram log of a point as it is on the disk, and compares it with the length
// and the checksum in the point. The error is an [fs.ErrNotExist] if there is none.
func (r *Run) Log(p *results.Point) ([]byte, error) {
	if err := results.CheckID(p.ID); err != nil {
		return nil, err
	}
	log, err := r.in.Read(histName(p.ID), maxHlogBytes)
	if err != nil {
		return nil, err
	}
	if err := verifyHlog(p, log); err != nil {
		return nil, fmt.Errorf("%s: %w", r.in.Path(histName(p.ID)), err)
	}
	return log, nil
}

// StrayLogs names the files among the histogram logs that belong to none of the points. A sweep
// that was killed may leave one, of the point after the last.
func (r *Run) StrayLogs(points []results.Point) ([]string, error) {
	entries, err := r.in.ReadDir(histFolder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	known := map[string]bool{}
	for i := range points {
		known[points[i].ID+".hlog"] = true
	}
	var strays []string
	for _, e := range entries {
		if !known[e.Name()] {
			strays = append(strays, path.Join(histFolder, e.Name()))
		}
	}
	return strays, nil
}

// Uncovered names the files of the folder that no digest and no checksum covers, such as figures.
// Those in hist/ are [Run.StrayLogs].
func (r *Run) Uncovered() (files []string, err error) {
	covered := []string{sweepFile, testbedFile, startsFile, envFile, pointsFile, headFile}
	walk := func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == histFolder && e.IsDir():
			return fs.SkipDir
		case e.IsDir(), slices.Contains(covered, name):
			return nil
		case path.Dir(path.Dir(name)) == sourcesFolder && slices.Contains(covered[:2], e.Name()):
			return nil
		}
		files = append(files, name)
		return nil
	}
	if err := r.in.Walk(".", walk); err != nil {
		return nil, err
	}
	return files, nil
}

// InFigures reports whether a file that [Run.Uncovered] names is among the figures.
func InFigures(name string) bool { return strings.HasPrefix(name, figFolder+"/") }
