package cardreport

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

// Write writes reports as an archive. about is the text of its README.
func Write(w io.Writer, about string, reports []*Report) error {
	compressed := gzip.NewWriter(w)
	archive := tar.NewWriter(compressed)
	add := func(name string, text []byte) error {
		h := &tar.Header{
			Name: path.Join("card-report", name), Mode: 0o644, Size: int64(len(text)),
			ModTime: time.Now(), Format: tar.FormatPAX,
		}
		if err := archive.WriteHeader(h); err != nil {
			return err
		}
		_, err := archive.Write(text)
		return err
	}
	if err := add("README", []byte(about)); err != nil {
		return err
	}
	for _, r := range reports {
		if err := writeReport(add, r); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func writeReport(add func(name string, text []byte) error, r *Report) error {
	var index bytes.Buffer
	encoder := json.NewEncoder(&index)
	encoder.SetEscapeHTML(false)
	for _, line := range r.Answers { // its output is replaced by files
		for i, output := range []*string{&line.Stdout, &line.Stderr} {
			text := *output
			if text == "" {
				continue
			}
			*output = fileName(line.Name) + []string{".out", ".err"}[i]
			if err := add(path.Join(fileName(r.Node), *output), []byte(text)); err != nil {
				return err
			}
		}
		if err := encoder.Encode(&line); err != nil {
			return err
		}
	}
	return add(path.Join(fileName(r.Node), "probes.jsonl"), index.Bytes())
}

// fileName returns a name that every file system takes.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' ||
			strings.ContainsRune("._-@", r) {
			return r
		}
		return '-'
	}, name)
}

// About returns the text of an archive's README.
func About(version string, redacted bool) string {
	what := "Nothing is replaced: hardware addresses, serial numbers and names are as they were."
	if redacted {
		what = "Replaced are " + Replaced
	}
	return fmt.Sprintf("A report on BlueField cards and their hosts, by dpukv %s, %s.\n"+
		"NODE/probes.jsonl has each command with its exit status and its files of output.\n%s\n",
		version, time.Now().UTC().Format(time.RFC3339), what)
}
