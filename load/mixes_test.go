package load

import (
	"encoding/json"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// TestMixes: a name stands for fields, which are those of a valid load. A field that is set later
// counts instead.
func TestMixes(t *testing.T) {
	for name, want := range map[string]string{
		"etc": `"mix":"etc","get_ratio":0.968,"dist":"uniform","keys":1000,"key_bytes":36,` +
			`"key_sizes":"etc","value_bytes":194,"value_sizes":"etc","value_size_by":"key",`,
		"ycsb-a": `"get_ratio":0.5,"dist":"zipf:0.99","keys":1000,"key_bytes":23,"value_bytes":1000,`,
		"ycsb-b": `"get_ratio":0.95,"dist":"zipf:0.99",`,
		"ycsb-c": `"get_ratio":1,"dist":"zipf:0.99",`,
		"ycsb-d": `"get_ratio":0.95,"dist":"latest:0.99",`,
		"ycsb-f": `"get_ratio":0.6666666666666666,"set_after":"get","dist":"zipf:0.99",`,
		"none":   `{"get_ratio":0.95,"dist":"uniform","keys":1000,"key_bytes":8,"value_bytes":8,`,
	} {
		l := usual()
		must.Do(t, FieldOf("mix").Set(&l, name))
		text, err := json.Marshal(l)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %s, %v, want %s", name, text, err, want)
		}
		must.Do(t, l.Validate())
		if decides := l.Decides("dist"); decides != strings.HasPrefix(name, "ycsb") ||
			l.Decides("keys") || l.Decides("get_ratio") != (name != "none") {
			t.Errorf("%s: the mix decides dist: %v", name, decides)
		}
		must.Do(t, FieldOf("get_ratio").Set(&l, "0.75"))
		if must.Do(t, l.Validate()); l.GetRatio != 0.75 || FieldOf("mix").Text(&l) != name {
			t.Errorf("%s: %+v", name, l)
		}
	}
	l := usual()
	must.Do(t, FieldOf("mix").Set(&l, "ycsb-f"))
	if text := FieldOf("get_ratio").Shown(&l); text != "66.6667" {
		t.Errorf("two thirds are shown as %s", text)
	}
	for key, value := range map[string]string{"get_ratio": "0.4", "dist": "latest:0.5"} {
		changed := l
		must.Do(t, FieldOf(key).Set(&changed, value))
		if err := changed.Validate(); err == nil || !strings.Contains(err.Error(), "with set_after get, allowed: ") {
			t.Errorf("%s %s: %v", key, value, err)
		}
	}
	for _, name := range []string{"ycsb-e", "etcetera", ""} {
		l := usual()
		if err := FieldOf("mix").Set(&l, name); err == nil || l != usual() {
			t.Errorf("%q was taken", name)
		}
	}
}
