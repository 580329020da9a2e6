package prose

import (
	"slices"
	"testing"
)

const sample = "# Title\n" +
	"Text one\n" + // 2
	"goes on.\n" +
	"\n" +
	"    printed\n" + // 5
	"\n" +
	"```sh\n" +
	"run # not a heading\n" + // 8
	"```\n" +
	"```\n" +
	"| printed |\n" + // 11
	"```\n" +
	"- item\n" +
	"  goes on\n" + // 14
	"- item\n" +
	"\n" +
	"      goes on, in a list\n" + // 17
	"| a | b |\n" +
	"~~~ yaml\n" +
	"```\n" + // 20
	"~~~\n" +
	"1. one\n"

func TestKindsOfLines(t *testing.T) {
	want := []kind{
		heading, text, text, blank, output, blank, fence, source, fence, fence, output, fence,
		text, text, text, blank, text, table, fence, source, fence, text,
	}
	for i, l := range parse(sample) {
		if l.kind != want[i] {
			t.Errorf("line %d, %q: found the kind %d, want %d", i+1, l.text, l.kind, want[i])
		}
	}
}

func TestBlocks(t *testing.T) {
	want := []block{
		{1, "Title"},
		{2, "Text one\ngoes on."},
		{13, "item\ngoes on"},
		{15, "item"},
		{17, "      goes on, in a list"},
		{22, "one"},
	}
	if got := blocks(parse(sample)); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func TestReadable(t *testing.T) {
	for s, want := range map[string]string{
		"see [the page](docs/a_(b).md#x) now": "see [the page] now",
		"run `dpukv sweep. Now` twice":        "run `dpukv_sweep__Now` twice",
		"at https://a.example/b.html today":   "at URL today",
		"![alt text](x.png \"title\")":        "![alt text]",
	} {
		if got := readable(s); got != want {
			t.Errorf("%q: found %q, want %q", s, got, want)
		}
	}
}
