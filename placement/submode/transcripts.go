package submode

import (
	"embed"
	"strings"
)

// The transcripts that a rehearsal prints are our own compositions, and no document's words.
//
//go:embed testdata/transcripts/doca-3.5
//go:embed testdata/transcripts/undated/devlink-old.txt testdata/transcripts/undated/hugepages-64k.txt
//go:embed testdata/transcripts/undated/ethtool-S-p0-5.4.txt
//go:embed testdata/transcripts/undated/mlxconfig-no-model.txt
var transcripts embed.FS

// Transcript returns the output in a transcript, without its header; "": there is none.
func Transcript(file string) string {
	text, err := transcripts.ReadFile("testdata/transcripts/" + file)
	if err != nil {
		return ""
	}
	_, output, _ := strings.Cut(string(text), "\n\n")
	return output
}
