package sweep

import (
	"reflect"
	"strings"
	"testing"
)

// A run folder keeps its sweep file, and a script its --only.
func TestFormerKeyNamesStayReadable(t *testing.T) {
	const now = "store: [mica, herd]\nplacement: [CH-SH, CD-SH]\nsubmode: sm1\nfilter: none\n" +
		"get_ratio: [1, 0.5]\nrate: [0, 1e6]\n"
	former := now
	for old, name := range formerNames {
		former = strings.Replace(former, name+":", old+":", 1)
	}
	a, b := parsed(t, now), parsed(t, former)
	if strings.Contains(former, "store:") || !reflect.DeepEqual(a.Points(), b.Points()) {
		t.Errorf("%s\nand\n%s\ndiffer", now, former)
	}
	if diff := Differences(&a, &b); diff != nil {
		t.Error(diff)
	}
	f, err := ParseSelection("get_ratios=0.5,stores=mica,rates=0", &b)
	if err != nil || len(f.Keep(b.Points())) == 0 {
		t.Error(f, err)
	}
	_, err = Parse("s.yaml", []byte("rates: 1\nrate: 2\n"))
	const want = "s.yaml:2:1: found rate beside rates, allowed: one of the two; both mean rate"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// One thing has one name: the singular, also where a list may stand.
func TestKeysAreNamedAsPointFields(t *testing.T) {
	plural := map[string]bool{ // numbers of things, or singulars
		"keys": true, "key_bytes": true, "value_bytes": true, "connections": true, "repeats": true,
		"server_threads": true, "client_threads": true, "access": true, "arrivals": true, "requests": true,
		"engine_threads": true, "answers": true, "on_miss": true,
	}
	for _, k := range Keys() {
		if strings.HasSuffix(k.Name, "s") && !plural[k.Name] {
			t.Errorf("%s: found a plural, allowed: the name of one value", k.Name)
		}
		if _, former := formerNames[k.Name]; former {
			t.Errorf("%s: found a former name", k.Name)
		}
	}
}
