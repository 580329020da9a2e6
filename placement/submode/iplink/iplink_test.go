package iplink

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

const shown = `[{"ifname":"up","flags":["UP","LOWER_UP"],"mtu":1500},` +
	`{"ifname":"dark","flags":["UP"],"mtu":9000},{"ifname":"down","flags":[]}]`

func TestUp(t *testing.T) {
	links := must.Get(Parse(shown))(t)
	for name, want := range map[string]string{
		"up": "", "dark": "found dark without a link", "down": "found down down",
		"none": "found no interface none",
	} {
		if err := links.Up(name); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: found %v, want %q", name, err, want)
		}
	}
	if names := links.Names(); names != "dark, down, up" {
		t.Errorf("found the names %s", names)
	}
}

func TestLacks(t *testing.T) {
	must.Do(t, Lacks("br0", "br1")(shown))
	if err := Lacks("br0", "up")(shown); err == nil || !strings.Contains(err.Error(), "interface up") {
		t.Errorf("found %v, want that up is there", err)
	}
	if err := Lacks("br0")("no JSON"); err == nil {
		t.Error("an answer that is no JSON was taken")
	}
}

// FuzzParse: a node may print anything; reading it must not panic.
func FuzzParse(f *testing.F) {
	f.Add(shown)
	f.Fuzz(func(_ *testing.T, out string) {
		links, _ := Parse(out)
		_ = links.Up("up")
	})
}
