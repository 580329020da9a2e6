package sweep

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"dpukv/internal/strictyaml"
)

// setFlag is the flag that gives settings.
const setFlag = "--set"

// Settings are values of a sweep's keys that replace those of its file.
type Settings []Setting

// Setting is a key with its values.
type Setting struct {
	Key    string
	Values []string
}

// ParseSettings reads "duration=1s,client_threads=1,client_threads=2". A key that comes several
// times has several values, as in [ParseSelection]. Only a sweep can tell which are allowed.
func ParseSettings(text string) (set Settings, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		key, value = nameNow(strings.TrimSpace(key)), strings.TrimSpace(value)
		if !ok || key == "" || value == "" || strings.ContainsFunc(part, unicode.IsControl) {
			return nil, fmt.Errorf("%s: found %q, allowed: key=value; several values of a key are "+
				"key=value,key=value", setFlag, part)
		}
		i := slices.IndexFunc(set, func(s Setting) bool { return s.Key == key })
		if i < 0 {
			i, set = len(set), append(set, Setting{Key: key})
		}
		set[i].Values = append(set[i].Values, value)
	}
	return set, nil
}

// Has reports whether a key is set.
func (set Settings) Has(key string) bool {
	return slices.ContainsFunc(set, func(s Setting) bool { return s.Key == key })
}

// text returns the settings as a sweep file.
func (set Settings) text() []byte {
	var b bytes.Buffer
	for _, s := range set {
		fmt.Fprintf(&b, "%s\n", s.line())
	}
	return b.Bytes()
}

func (s *Setting) line() string {
	if len(s.Values) == 1 {
		return s.Key + ": " + s.Values[0]
	}
	return s.Key + ": [" + strings.Join(s.Values, ", ") + "]"
}

// Apply returns the text of a sweep file with the settings in place. The replaced lines become
// comments, so that the file of a run tells both.
func (set Settings) Apply(name string, data []byte) ([]byte, error) {
	if set == nil {
		return data, nil
	}
	file := strictyaml.File{Name: name}
	entries := file.Parse(data)
	if err := file.Err(); err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	for i, e := range entries {
		if !set.Has(nameNow(e.Key)) {
			continue
		}
		end := len(lines) + 1
		if i+1 < len(entries) {
			end = entries[i+1].At.Line()
		}
		begin := e.At.Line()
		if begin == end || strings.HasPrefix(strings.TrimSpace(lines[begin-1]), "{") ||
			i > 0 && entries[i-1].At.Line() == begin {
			return nil, fmt.Errorf("%s: found another key in the line of %s, allowed with %s: "+
				"each key in lines of its own", e.At, e.Key, setFlag)
		}
		retire(lines[begin-1 : end-1])
	}
	text := strings.TrimLeft(strings.Join(lines, "\n")+"\n", "\n")
	for _, s := range set {
		text += s.line() + " # by " + setFlag + "\n"
	}
	return []byte(text), nil
}

// retire makes comments of the lines of a replaced key.
func retire(lines []string) {
	for i, line := range lines {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "#") {
			lines[i] = "# replaced by " + setFlag + ": " + line
		}
	}
}

// Short returns the sweep as a file with the keys that differ from the built-in sweep's.
func (s *Sweep) Short() []byte {
	var b bytes.Buffer
	built := Default()
	for i := range sweepKeys {
		k := &sweepKeys[i]
		if value := k.texts(s); !s.ofMix(k.name) && !slices.Equal(value, k.texts(&built)) {
			setting := Setting{Key: k.name, Values: value}
			fmt.Fprintf(&b, "%s\n", setting.line())
		}
	}
	return b.Bytes()
}
