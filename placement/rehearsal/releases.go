package rehearsal

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"dpukv/placement/submode"
)

// release has the transcripts that the card's tools print in the place of their own words.
type release map[string]string

// Undated is the release of outputs whose release is not told: an older kernel's and firmware's.
const Undated = "undated"

var releases = map[string]release{
	"doca-2.9": {}, // the tools' own words, after the documents of that release
	"doca-3.5": {
		"list": "doca-3.5/list-open-vswitch.txt", "dpif": "doca-3.5/dpif-show-doca-netdev.txt",
		"pages": "undated/hugepages-64k.txt",
	},
	Undated: {
		"devlink": "undated/devlink-old.txt", "uplink": "undated/ethtool-S-p0-5.4.txt",
		"mlxconfig": "undated/mlxconfig-no-model.txt",
	},
}

// Releases are the names of the releases that can be rehearsed.
func Releases() []string { return slices.Sorted(maps.Keys(releases)) }

// says returns the transcript of a command; "": the tool has its own words.
func (r release) says(key string) string {
	if r[key] == "" {
		return ""
	}
	return submode.Transcript(r[key])
}

var pool = regexp.MustCompile(`(?m)^pool 2048 (\d+)$`)

// pages are the free huge pages of 2 MiB, none of which is mounted; "": the usual ones.
func (r release) pages() string {
	if m := pool.FindStringSubmatch(r.says("pages")); m != nil {
		return m[1]
	}
	return ""
}

// said is what the release of the running card says.
func said(key string) string { return releases[read("release")].says(key) }

// word returns what a pattern finds in a transcript, or the usual.
func word(key, pattern, usual string) string {
	if m := regexp.MustCompile(pattern).FindStringSubmatch(said(key)); m != nil {
		return strings.Trim(m[1], `"`)
	}
	return usual
}
