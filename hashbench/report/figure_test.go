package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"dpukv/hashbench/result"
	"dpukv/hashbench/result/resulttest"
	"dpukv/internal/test/must"
)

func TestFigures(t *testing.T) {
	dir := t.TempDir()
	paths := must.Get(DrawFigures(dir,
		[]Machine{{"host", resulttest.Report(1, "Xeon")}, {"bf2", resulttest.Report(2, "Cortex-A72")}}))(t)
	if len(paths) != 2*len(result.MainCases()) {
		t.Errorf("wrote %q", paths)
	}
	for _, path := range paths {
		data := must.Get(os.ReadFile(path))(t)
		if filepath.Ext(path) == ".png" {
			if _, err := png.Decode(bytes.NewReader(data)); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			continue
		}
		if err := wellFormed(data); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		must.Contain(t, string(data), "city64@module", ">bf2<", ">host<", "bf2: Cortex-A72", "95 % confidence")
	}
	long, err := os.ReadFile(filepath.Join(dir, "hash-256KiB-throughput.svg"))
	if err != nil || !bytes.Contains(long, []byte("bandwidth, GB/s")) {
		t.Errorf("the figure of long input is not one of bandwidth (%v)", err)
	}
}

func wellFormed(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

func TestFiguresNeedTheirCases(t *testing.T) {
	r := resulttest.Report(1, "Xeon")
	r.Results = r.Results[:1]
	r.Results[0].MinBytes, r.Results[0].MaxBytes = 5, 5
	_, err := DrawFigures(t.TempDir(), []Machine{{"host", r}})
	must.Fail(t, err, "256 KiB throughput")
}

// An axis has between four and nine marks for any data.
func TestAxis(t *testing.T) {
	for most := 0.01; most < 1e6; most *= 1.7 {
		f := &figure{}
		if n := most / f.step(most); n > 8.0001 || n < 3 {
			t.Errorf("%v steps to %v", n, most)
		}
	}
}
