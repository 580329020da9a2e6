package sweep

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dpukv/internal/test/must"
)

func TestSweepFileMistakesAreNamedWithTheirPlace(t *testing.T) {
	for _, test := range []struct{ name, file, want string }{
		{
			"unknown key", "client_thread: 4\n",
			`s.yaml:1:1: found the unknown key "client_thread" (did you mean client_threads?), allowed: store, placement`,
		},
		{
			"unknown key, nothing like it", "colour: red\n",
			`s.yaml:1:1: found the unknown key "colour", allowed: store`,
		},
		{"a word for a number", "keys: many\n", `s.yaml:1:7: keys: found "many", allowed: a whole number from 1 to`},
		{"a quoted number", "keys: \"1000\"\n", `s.yaml:1:7: keys: found "1000", allowed: a whole number`},
		{"a fraction for a whole number", "batch: 1.5\n", `s.yaml:1:8: batch: found "1.5", allowed: a whole number`},
		{"too few", "batch: 0\n", `s.yaml:1:8: batch: found "0", allowed: a whole number from 1 to`},
		{"too many", "key_bytes: 256\n", `s.yaml:1:12: key_bytes: found "256", allowed: a whole number from 1 to 255`},
		{
			"beyond an integer", "keys: 99999999999999999999\n",
			`s.yaml:1:7: keys: found "99999999999999999999", allowed: a whole number`,
		},
		{"one of a list", "client_threads: [1, 2, x]\n", `s.yaml:1:24: client_threads: found "x", allowed`},
		{"one of a block list", "keys:\n  - 10\n  - -1\n", `s.yaml:3:5: keys: found "-1", allowed`},
		{
			"a value twice", "keys: [10, 20, 10]\n",
			"s.yaml:1:16: keys: found 10 a second time (first at s.yaml:1:8), allowed: each value once",
		},
		{
			"a value twice, written differently", "get_ratio: [0.5, .50]\n",
			"s.yaml:1:18: get_ratio: found 0.5 a second time",
		},
		{"an empty list", "keys: []\n", "s.yaml:1:7: keys: found an empty list, allowed: a whole number"},
		{"a list in a list", "keys: [[1]]\n", "s.yaml:1:8: keys: found a list, allowed: one value, a whole number"},
		{"nothing", "keys:\n", "s.yaml:1:7: keys: found nothing, allowed"},
		{"keys with values", "keys: {a: 1}\n", "s.yaml:1:8: keys: found keys with values, allowed"},
		{"an alias", "keys: &k 10\nbatch: *k\n", "s.yaml:1:7: keys: found an anchor or alias, allowed"},
		{"a tag", "keys: !!int 10\n", "s.yaml:1:7: keys: found a tag, allowed"},
		{"a block of text", "dist: |\n  uniform\n", "s.yaml:1:7: dist: found a block of text, allowed"},
		{
			"no share", "get_ratio: 95\n",
			`s.yaml:1:12: get_ratio: found "95", allowed: a share from 0 to 1, such as 0.95`,
		},
		{"not a number", "get_ratio: .nan\n", `s.yaml:1:12: get_ratio: found ".nan", allowed: a share`},
		{"no such store", "store: [mica, lmdb]\n", `s.yaml:1:15: store: found "lmdb", allowed: mica, herd`},
		{
			"no placement", "placement: CX SH\n",
			`s.yaml:1:12: placement: found "CX SH", allowed: the name of a placement`,
		},
		{"no submode", "submode: sm6\n", `s.yaml:1:10: submode: found "sm6", allowed: off-path, off-path-sf, direct, sm1`},
		{"no hash", "hash: md4\n", `s.yaml:1:7: hash: found "md4", allowed: city32, city64`},
		{"no distribution", "dist: zipf:-1\n", `s.yaml:1:7: dist: found "zipf:-1", allowed: uniform; zipf:T`},
		{"no mode", "mode: lossy\n", `s.yaml:1:7: mode: found "lossy", allowed: cache, store`},
		{"no access", "access: true\n", `s.yaml:1:9: access: found "true", allowed: erew, crew`},
		{
			"a time without its unit", "duration: 2\n",
			`s.yaml:1:11: duration: found "2", allowed: a time with its unit, such as 2s`,
		},
		{"no time at all", "duration: 0s\n", `s.yaml:1:11: duration: found "0s", allowed: a time with its unit`},
		{
			"a list where one value goes", "seed: [1, 2]\n",
			"s.yaml:1:7: seed: found a list, allowed: one value, a whole number",
		},
		{"a key twice", "keys: 1\nkeys: 2\n", `s.yaml:2:1: mapping key "keys" already defined`},
		{"a list that does not end", "keys: [1, 2\n", "s.yaml:1:7: sequence end token ']' not found"},
		{"a tab", "\tkeys: 1\n", "s.yaml:1:5: tab character"},
		{"no keys at all", "- mica\n", "s.yaml:1:1: the file: found a list, allowed: keys with values"},
		{"two documents", "keys: 1\n---\nbatch: 2\n", "s.yaml:3:1: found a second document, allowed: one"},
		{"a merge key", "<<: {keys: 1}\n", "s.yaml:1:1: found the key <<, allowed: a plain word"},
		{"too long", strings.Repeat("#", 262145), "s.yaml:1:1: found 262145 bytes, allowed: at most 262144"},
		{
			"nested lists", strings.Repeat("[", 64<<10),
			"s.yaml:1:9: found lists and keys nested 9 deep, allowed: at most 8",
		},
		{"many mistakes", "keys: [" + strings.Repeat("x, ", 1000) + "]\n", "s.yaml: and 950 mistakes more"},
	} {
		_, err := Parse("s.yaml", []byte(test.file))
		must.Fail(t, err, test.want)
	}
}

func TestSweepFileTellsAllMistakesAtOnce(t *testing.T) {
	_, err := Parse("s.yaml", []byte("keys: x\nbatch: 64\ncolour: red\nrepeats: 0\n"))
	for _, want := range []string{"s.yaml:1:7", "s.yaml:3:1", "s.yaml:4:10"} {
		must.Fail(t, err, want)
	}
}

func TestSweepFileSaysWhatDiffersFromTheDefaults(t *testing.T) {
	got := parsed(t, "# a comment\nclient_threads: [1, 8]\nget_ratio: 0.95\nduration: 2s\n"+
		"dist: [uniform, 'zipf:0.990']\n")
	want := Default()
	want.Axes, want.Duration = want.Axes.with("client_threads", "1", "8"), 2*time.Second
	want.Axes = want.Axes.with("get_ratio", "0.95").with("dist", "uniform", "zipf:0.99")
	if got.where = nil; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	empty, err := Parse("s.yaml", nil)
	if empty.where = nil; err != nil || !reflect.DeepEqual(empty, Default()) {
		t.Errorf("an empty file: %v, %+v", err, empty)
	}
}

func TestSweepSurvivesItsFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anySweep(t)
		got, err := Parse("s.yaml", want.Marshal())
		if err != nil {
			t.Fatal(err)
		}
		if diff := Differences(&want, &got); diff != nil {
			t.Fatal(diff)
		}
		if got.where = nil; !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

func TestDifferencesNameTheKey(t *testing.T) {
	a, b := Default(), Default()
	b.Axes, b.Seed = b.Axes.with("client_threads", "1"), 7
	want := []string{"client_threads is [1, 2, 4, 8] there, [1] here", "seed is [1] there, [7] here"}
	if got := Differences(&a, &b); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzParse: no file crashes the parser. An accepted sweep can be written, read again and expanded.
func FuzzParse(f *testing.F) {
	d := Default()
	f.Add(d.Marshal())
	f.Add([]byte("keys: [1, 2]\nplacements:\n  - CH-SH\n"))
	f.Add([]byte("a: &x [*x]\n? [b]\n: |\n  c\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("s.yaml", data)
		if err != nil {
			return
		}
		again, err := Parse("s.yaml", s.Marshal())
		if err != nil {
			t.Fatalf("%v in\n%s", err, s.Marshal())
		}
		if diff := Differences(&s, &again); diff != nil {
			t.Fatal(diff)
		}
		if s.Size(1000) < 1000 && len(s.Points()) != s.Size(1000) {
			t.Fatalf("%d points, size says %d", len(s.Points()), s.Size(1000))
		}
	})
}
