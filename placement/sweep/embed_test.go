package sweep

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

func TestEmbed(t *testing.T) {
	files := map[string]string{"etc.csv": "32,90\n1024,10\n", "a b": "7 1\n", "keys": "16 1\n40 2\n"}
	read := func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("%s is not there", path)
	}
	for text, want := range map[string]string{
		"value_bytes: 32\n":                 "value_bytes: 32\n",
		"value_bytes: file:etc.csv # mix\n": "value_bytes: 32:90+1024:10 # mix\n",
		"value_bytes: 'file:etc.csv'":       "value_bytes: 32:90+1024:10",
		"key_bytes: [8, file:keys]":         "key_bytes: [8, 16:1+40:2]",
		"keys: 5\nvalue_bytes:\n- 8\n- \"file:a b\"\n- file:etc.csv\n": "keys: 5\nvalue_bytes:\n" +
			"- 8\n- 7\n- 32:90+1024:10\n",
		"value_bytes: [\"file:a b\", 32-64, file:etc.csv, 9]\nkeys: 3": "value_bytes: " +
			"[7, 32-64, 32:90+1024:10, 9]\nkeys: 3",
	} {
		got, err := Embed("s.yaml", []byte(text), read)
		if err != nil || string(got) != want {
			t.Errorf("%q became %q, %v, want %q", text, got, err, want)
		}
		if s, err := Parse("s.yaml", got); err != nil || len(s.Axes["key_bytes"]) == 0 {
			t.Errorf("%q: %v", got, err)
		}
	}
	files["bad"] = "32 90\n70000 1\n"
	for text, want := range map[string]string{
		"value_bytes: file:none":           "s.yaml:1:14: value_bytes: none is not there",
		"keys: 1\nvalue_bytes: [file:bad]": "s.yaml:2:15: value_bytes: bad:2: found \"70000 1\", allowed: ",
		"key_bytes: file:etc.csv":          "s.yaml:1:12: key_bytes: etc.csv:2: found \"1024,10\", allowed: ",
		"value_bytes: >\n  file:etc.csv\n": "",
	} {
		got, err := Embed("s.yaml", []byte(text), read)
		if want == "" { // Parse refuses a block of text
			if _, err = Parse("s.yaml", got); err == nil {
				t.Errorf("%q was taken", text)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// TestValueSizesAreAnAxis: distributions are values like numbers, in any spelling, and each once.
func TestValueSizesAreAnAxis(t *testing.T) {
	s := parsed(t, "value_bytes: [32, 32-1024, \"1024:10,32:90\"]\nget_ratio: 1\nclient_threads: 1\n")
	want := []string{"32", "32-1024", "32:90+1024:10"}
	if got := s.Axes["value_bytes"]; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var ids []string
	for i, c := range s.Configs() {
		if c.ValueSizes.Text(c.ValueBytes) != want[i] || c.ValueBytes != []int{32, 528, 131}[i] {
			t.Errorf("configuration %d has %s with the mean %d", i, c.ValueSizes.Text(c.ValueBytes), c.ValueBytes)
		}
		ids = append(ids, c.id(1))
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 3 {
		t.Errorf("the configurations share IDs: %q", ids)
	}
	again, err := Parse("sweep.yaml", s.Marshal())
	if err != nil || len(Differences(&s, &again)) > 0 {
		t.Errorf("%s, %v", Differences(&s, &again), err)
	}
	only, err := ParseSelection("value_bytes=32:9e1+1024:10", &s)
	if err != nil || len(only.KeepConfigs(s.Configs())) != 1 {
		t.Errorf("--only: %v, %v", only, err)
	}
	_, err = Parse("s.yaml", []byte("value_bytes: [32-64, 64-32, \"32-64:5\", 8+9]\n"))
	for _, want := range []string{
		`s.yaml:1:22: value_bytes: found "64-32", allowed: a whole number from 0 to 65535, a range such`,
		`s.yaml:1:29: value_bytes: found 32-64 a second time (first at s.yaml:1:15)`,
		`s.yaml:1:40: value_bytes: found "8+9", allowed: `,
	} {
		must.Fail(t, err, want)
	}
}
