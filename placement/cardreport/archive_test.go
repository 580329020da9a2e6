package cardreport

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// TestArchive: an archive of a whole card has each command with its files, and nothing of what is
// redacted.
func TestArchive(t *testing.T) {
	report := collect(t.Context(), fakeCard(t, nil), os.Geteuid())
	report.Node = "card7.example.org"
	var b bytes.Buffer
	redactor := NewRedactor("card7.example.org")
	must.Do(t, Write(&b, About("v1", true), []*Report{redactor.Redact(report)}))
	files := unpack(t, &b)
	index := files["card-report/host-1/probes.jsonl"]
	if !strings.Contains(index, `"name":"devlink-info","command":["devlink","dev","info"],"exit":`) ||
		!strings.Contains(index, `"stdout":"eswitch-0000-03-00.0.out"`) {
		t.Errorf("found the index\n%s", index)
	}
	if !strings.Contains(files["card-report/host-1/ip-link.out"], "02:00:00:00:00:0") {
		t.Errorf("found the links %q", files["card-report/host-1/ip-link.out"])
	}
	for name, text := range files {
		for _, secret := range []string{"MT2143X12345", "b8:ce:f6", "card7", "3f0b8a66-1111"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %s:\n%s", name, secret, text)
			}
		}
	}
}

func unpack(t *testing.T, r io.Reader) map[string]string {
	t.Helper()
	compressed := must.Get(gzip.NewReader(r))(t)
	files := map[string]string{}
	for archive := tar.NewReader(compressed); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text := must.Get(io.ReadAll(archive))(t)
		files[h.Name] = string(text)
	}
}
