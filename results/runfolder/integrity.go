package runfolder

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	"dpukv/results"
)

// castagnoli is the polynomial of CRC-32C, which CPUs compute.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sealHlog writes the length and the checksum of its histogram log into a point.
func sealHlog(p *results.Point, log []byte) {
	p.HlogBytes, p.HlogCRC32C = int64(len(log)), checksum(log)
}

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
	if info, err := os.Stat(filepath.Join(r.dir, sweepFile)); err == nil && info.Size() == 0 {
		bad.add(0, "found an empty file: the sweep file is lost")
	}
	for i := range points {
		if p := &points[i]; p.HlogBytes > 0 && results.CheckID(p.ID) == nil {
			bad.file = filepath.Join(histFolder, p.ID+".hlog")
			bad.add(0, r.hlogDamage(p))
		}
	}
	bad.file = histFolder
	return bad.all()
}

func (r *Run) hlogDamage(p *results.Point) string {
	info, err := os.Stat(r.histPath(p.ID))
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
