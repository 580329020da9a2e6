package journal

import (
	"strings"
	"testing"
)

// TestAnotherCard: the steps of one card are not undone on another card with its folder, as after
// the copy of an image.
func TestAnotherCard(t *testing.T) {
	const about = `{"Submode":"sm4","Target":"bluefield","Ports":{"Wire":"p0","Host":"pf0hpf"},` +
		`"Card":"0123 02:00:00:00:00:01"}`
	const allowed = `allowed: "0123 02:00:00:00:00:01", to which it was applied`
	for address, refused := range map[string]bool{
		"02:00:00:00:00:01": false,
		"02:00:00:00:00:02": true,
	} {
		fake := &answers{
			{"/card/undo", `{"Run":["ovs-vsctl","del-br","dpukv0"]}` + "\n"},
			{"/card/about", about},
			{"/etc/machine-id", "0123\n"},
			{
				"ip -j link show dev p0",
				`[{"address":"02:00:00:00:00:09","permaddr":"` + address + `"}]`,
			},
		}
		node, asked := fake.node()
		err := OfCard(node).Undo(t.Context())
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), allowed) {
			t.Errorf("%s: found %v", address, err)
		}
		ran := strings.Contains(strings.Join(*asked, "\n"), "del-br")
		if ran == refused {
			t.Errorf("%s: it asked %q", address, *asked)
		}
	}
}
