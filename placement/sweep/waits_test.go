package sweep

import (
	"slices"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/results"
)

const waitKeys = "server_wait: [sleep, poll]\nclient_wait: [sleep, poll]\n"

// TestWaitKeys: each end that can be asked to poll has points of both ways. Others have one, and all
// keep the IDs that they had before.
func TestWaitKeys(t *testing.T) {
	for text, want := range map[string]int{
		"store: mica\n":                              4,
		"store: memcached\n":                         2,
		"store: [mica, redis, herd]\n":               4 + 2 + 1,
		"store: mica\nplacement: CH-ED-SH\n":         2, // an engine waits as the key wait says
		"store: mica\nplacement: CH-PD-SH\n":         2, // and so does a proxy
		"store: mica\nplacement: CH-PD-ED-SH\n":      1,
		"store: mica\nplacement: [CH-SH, OUR-OWN]\n": 4 + 4, // which may be whole
	} {
		text += "get_ratio: 1\nclient_threads: 1\nrepeats: 1\n"
		plain, all := parsed(t, text), parsed(t, text+waitKeys)
		ids := map[string]bool{}
		for _, pt := range all.Points() {
			ids[pt.ID] = true
		}
		if len(ids) != want || len(all.Points()) != want {
			t.Errorf("%s%d points, %d IDs, want %d", text, len(all.Points()), len(ids), want)
		}
		for _, pt := range plain.Points() {
			if !ids[pt.ID] {
				t.Errorf("%s%s has another ID", text, pt.ID)
			}
		}
	}
}

// TestUnusedKeys: a key that no end of the sweep follows is told.
func TestUnusedKeys(t *testing.T) {
	for text, want := range map[string]string{
		"store: mica\n" + waitKeys:                                            "",
		"store: redis\nserver_wait: poll\n":                                   "server_wait",
		"store: herd\nclient_wait: poll\n":                                    "client_wait",
		"store: herd\n":                                                       "",
		"store: mica\nplacement: CH-ED-SH\nserver_wait: poll\n":               "server_wait",
		"store: mica\nplacement: [CH-ED-SH, CH-SH]\nserver_wait: poll\n":      "",
		"store: mica\nplacement: CH-PD-SH\nclient_wait: poll\n":               "client_wait",
		"store: [redis, herd]\nserver_wait: [sleep, poll]\nclient_wait: poll": "server_wait",
	} {
		s := parsed(t, text)
		got, owner := s.UnusedKey()
		if got != want || got != "" && !slices.Contains(StoresWith(owner), "mica") {
			t.Errorf("%q: found %q of %s, want %q", text, got, owner, want)
		}
	}
}

// TestWaitsAsAsked: a point whose ends waited in another way than asked fails, also from the
// defaults. A server that ran already waits as it does, unless the file says how.
func TestWaitsAsAsked(t *testing.T) {
	attach := "attach: 127.0.0.1:1\n"
	for _, c := range []struct {
		text, server, client, want string
	}{
		{"", "", "", ""},
		{"", "poll", "", "server_wait: asked for sleep, used poll"},
		{"", "", "poll", "client_wait: asked for sleep, used poll"},
		{"server_wait: poll\n", "poll", "", ""},
		{"server_wait: poll\n", "", "", "server_wait: asked for poll, used sleep"},
		{"client_wait: poll\n", "", "", "client_wait: asked for poll, used sleep"},
		{attach, "poll", "", ""},
		{attach + "server_wait: sleep\n", "poll", "", "server_wait: asked for sleep, used poll"},
	} {
		s := parsed(t, "store: mica\n"+c.text)
		pt := s.Points()[0]
		var used results.Point
		pt.Asked(&used)
		used.Mode = pt.Mode // a server attached to tells it
		used.ServerWait, used.ClientWait = c.server, c.client
		must.Fail(t, pt.VerifyUsed(&used), c.want)
		told := results.Point{Asked: results.Asked{Setup: kvs.Setup{ServerWait: c.server}}}
		if pt.Asked(&told); c.want == "" && told.ServerWait != c.server {
			t.Errorf("%q: the point says %q, and the server %q", c.text, told.ServerWait, c.server)
		}
	}
}
