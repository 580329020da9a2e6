package sweep

import (
	"reflect"
	"testing"

	"dpukv/internal/test/must"
)

// TestEachStoreHasItsStudysDefaults: a key that the file lacks has each store's own value. A value
// in the file applies to all stores.
func TestEachStoreHasItsStudysDefaults(t *testing.T) {
	of := func(store string, keyBytes, valueBytes, batch int, hash string) (c Config) {
		c.Store, c.KeyBytes, c.ValueBytes, c.Batch, c.Hash = store, keyBytes, valueBytes, batch, hash
		return c
	}
	for _, test := range []struct {
		file string
		want []Config // without the fields that do not differ here
	}{
		{"store: [mica, herd]\n", []Config{
			of("mica", 8, 8, 64, "city64"),
			of("herd", 16, 32, 32, "city128"),
		}},
		{"store: [mica, herd]\nbatch: [16, 32]\n", []Config{
			of("mica", 8, 8, 16, "city64"),
			of("mica", 8, 8, 32, "city64"),
			of("herd", 16, 32, 16, "city128"),
			of("herd", 16, 32, 32, "city128"),
		}},
		{"store: herd\nhash: xxh64\nkey_bytes: 8\n", []Config{
			of("herd", 8, 32, 32, "xxh64"),
		}},
	} {
		s := parsed(t, test.file+"get_ratio: 1\nclient_threads: 1\n")
		var got []Config
		for _, c := range s.Configs() {
			got = append(got, of(c.Store, c.KeyBytes, c.ValueBytes, c.Batch, c.Hash))
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q:\ngot  %+v\nwant %+v", test.file, got, test.want)
		}
		if s.Size(100) != len(test.want)*s.Repeats {
			t.Errorf("%q: counted as %d points, has %d", test.file, s.Size(100), len(test.want)*s.Repeats)
		}
		again := must.Get(Parse("again.yaml", s.Marshal()))(t)
		if diff := Differences(&s, &again); diff != nil {
			t.Errorf("%q: written and read, %s", test.file, diff)
		}
	}
}

// TestSelectionByStudyDefaults: a value that the file lacks can select a point.
func TestSelectionByStudyDefaults(t *testing.T) {
	s := parsed(t, "store: [mica, herd]\n")
	f := must.Get(ParseSelection("batch=32", &s))(t)
	kept := f.Keep(s.Points())
	if len(kept) != len(s.Points())/2 {
		t.Errorf("%d of %d points kept", len(kept), len(s.Points()))
	}
	for _, p := range kept {
		if p.Store != "herd" {
			t.Errorf("%s kept", p.ID)
		}
	}
}
