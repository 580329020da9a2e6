package sweep

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

func TestSettings(t *testing.T) {
	const file = "# why\nstore: [herd]\nclient_threads:\n  - 1 # one\n\n  # then\n  - 2\n# of a point\nduration: 5s\n"
	for name, c := range map[string]struct{ set, want string }{
		"nothing": {"", file},
		"one key": {"duration=1s", "# why\nstore: [herd]\nclient_threads:\n  - 1 # one\n\n  # then\n  - 2\n" +
			"# of a point\n# replaced by --set: duration: 5s\nduration: 1s # by --set\n"},
		"a list, and a key that the file lacks": {
			"client_thread=4, client_threads=8,keys=100",
			"",
		},
		"a list": {"client_threads=4, client_threads=8,keys=100", "# why\nstore: [herd]\n" +
			"# replaced by --set: client_threads:\n# replaced by --set:   - 1 # one\n\n  # then\n" +
			"# replaced by --set:   - 2\n# of a point\nduration: 5s\n" +
			"client_threads: [4, 8] # by --set\nkeys: 100 # by --set\n"},
		"a field's name": {"store=mica", "# why\n# replaced by --set: store: [herd]\n" +
			"client_threads:\n  - 1 # one\n\n" +
			"  # then\n  - 2\n# of a point\nduration: 5s\nstore: mica # by --set\n"},
	} {
		set := must.Get(ParseSettings(c.set))(t)
		asked, err := ParseWith("a.yaml", []byte(file), set)
		if c.want == "" {
			must.Fail(t, err, "did you mean client_threads?")
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := set.Apply("a.yaml", []byte(file))
		if err != nil || string(text) != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s\n%v", name, text, c.want, err)
		}
		held, err := Parse("a.yaml", text)
		if diff := Differences(&held, &asked); err != nil || diff != nil {
			t.Errorf("%s: the file of the run differs: %v, %v", name, diff, err)
		}
	}
}

// TestSettingsRefused: the errors are those of a file, with the flag as their place.
func TestSettingsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"duration":                `--set: found "duration", allowed: key=value; several values`,
		"keys=[1,2]":              `--set: found "2]", allowed: key=value; several values`,
		"duration=":               `--set: found "duration=", allowed: key=value`,
		"keys=1\nseed=2":          `--set: found "keys=1\nseed=2", allowed: key=value`,
		"duration=5":              `--set: duration: found "5", allowed: a time with its unit`,
		"duration=1s,duration=2s": "--set: duration: found a list, allowed: one value",
		"durations=1s":            `--set: found the unknown key "durations" (did you mean duration?), allowed: store`,
		"keys=7,keys=7":           "--set: keys: found 7 a second time (first at --set)",
		"store=micas":             `--set: store: found "micas" (did you mean mica?), allowed: mica`,
	} {
		set, err := ParseSettings(text)
		if err == nil {
			_, err = ParseWith("a.yaml", []byte("repeats: 1\n"), set)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	set := Settings{{"duration", []string{"1s"}}}
	for _, file := range []string{"{repeats: 1, duration: 5s}", "{duration: 5s,\n repeats: 1}", "{duration: 5s}"} {
		_, err := set.Apply("a.yaml", []byte(file))
		must.Fail(t, err, "found another key in the line of duration")
	}
}

func TestShort(t *testing.T) {
	built, quick := Default(), Quick()
	if text := built.Short(); len(text) > 0 {
		t.Errorf("the built-in sweep differs from itself:\n%s", text)
	}
	again, err := Parse("quick", quick.Short())
	if diff := Differences(&quick, &again); err != nil || diff != nil {
		t.Errorf("got %v, %v", diff, err)
	}
}
