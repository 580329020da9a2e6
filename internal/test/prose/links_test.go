package prose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"README.md": "# Top\n", "docs/a.md": "# First `x.y`\n## Same\n## Same\n", "docs/img/p.png": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for page, want := range map[string]string{
		"[a](a.md) [b](../README.md#top) ![c](img/p.png) [d](img)":  "",
		"[a](a.md#first-xy) [b](a.md#same) [c](a.md#same-1)":        "",
		"# Here it is\n[a](#here-it-is) [b](https://x.example/y#z)": "",
		"`[a](none.md)`\n\n```sh\n[b](none.md)\n```\n":              "",
		"\n[a](none.md)":                      "docs/p.md:2: found a link to none.md, which does not exist",
		"[a](a.md#second)":                    "no such heading",
		"[a](#second)":                        "no such heading",
		"[a](a.md#same-2)":                    "no such heading",
		"[a](img/p.png#x)":                    "remove the anchor",
		"[a](/docs/a.md)":                     "relative to the page",
		"see [a].\n\n[a]: none.md":            "docs/p.md:3: found a link to none.md",
		"| [a](none.md \"title\") |":          "docs/p.md:1: found a link to none.md",
		"<a id=\"mark\"></a>\n[a](#mark)":     "",
		"[mail](mailto:a@b.example)":          "",
		"[a](a.md) and\n[b](<none.md>) there": "docs/p.md:2: found a link to none.md",
	} {
		got := strings.Join(checkLinks(dir, "docs/p.md", page), "\n")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: found %q, want %q", page, got, want)
		}
	}
}

func TestAnchors(t *testing.T) {
	for heading, want := range map[string]string{
		"Keys of a sweep file": "keys-of-a-sweep-file", "`via: ssh`, and more!": "via-ssh-and-more",
		"A [link](x.md) ##": "a-link", "Größe_1": "größe_1", "a  b": "a--b",
	} {
		if got := anchor(heading); got != want {
			t.Errorf("%q: found %q, want %q", heading, got, want)
		}
	}
}
