package foreign

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"testing"

	"dpukv/internal/test/must"
)

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"plain, ä µ – 日本 😀":         "plain, ä µ – 日本 😀",
		"two\nlines\r\n\tand a tab": `two\u000alines\u000d\u000a\u0009and a tab`,
		"\x1b[2J\x00\x7f\u009b":     `\u001b[2J\u0000\u007f\u009b`,
		"\u202e \u2066 \u200f":      `\u202e \u2066 \u200f`,
		"\u2028\u2029\ufffe\uffff":  `\u2028\u2029\ufffe\uffff`,
		"bytes \xff\xc3":            `bytes \xff\xc3`,
		"replaced \ufffd":           "replaced \ufffd",
	} {
		if got := Line(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestCSV: each cell is read back as one cell, and none is a formula.
func TestCSV(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "plain", `a, "b"`: `a, "b"`, "two\nlines\tand": "two\nlines\tand",
		"-1": "-1", "+1.5e9": "+1.5e9", "-Inf": "-Inf", "a-b": "a-b", "@": "'@",
		"=cmd|'/C calc'!A1": "'=cmd|'/C calc'!A1", "-1+cmd": "'-1+cmd", "+x": "'+x", "@SUM(A1)": "'@SUM(A1)",
		" =1": "' =1", "\t=1": "'\t=1", "\n=1": "'\n=1", "＝1": "'＝1", " x": " x", "\r\n=1": `\u000d` + "\n=1",
		"\x1b[2J\u202e": `\u001b[2J\u202e`, "\xff": `\xff`, "\x00=1": `\u0000=1`,
	} {
		var b bytes.Buffer
		must.Do(t, NewCSV(&b).WriteAll([][]string{{"first", text, "last"}}))
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(rows) != 1 || len(rows[0]) != 3 || rows[0][1] != want {
			t.Errorf("%q: got %q, %v, want %q", text, rows, err, want)
		}
	}
}

// TestJSON: who decodes the strings finds escapes, and everything else as it was.
func TestJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a\"\\\/": [1.5e9, null, "ä\n\té"]}`: `{"a\"\\\/": [1.5e9, null, "ä\n\té"]}`,
		`"\u001b\u202E\b\f\r\u0000\u007f"`:     `"\\u001b\\u202e\\u0008\\u000c\\u000d\\u0000\\u007f"`,
		"\"\u202e\x7f\u2028\"":                 `"\\u202e\\u007f\\u2028"`,
		`"\ud83d\ude00 \\u001b \n\u000a\t"`:    `"\ud83d\ude00 \\u001b \n\u000a\t"`,
		"\"\xff\"":                             `"\\xff"`,
	} {
		for step := range 3 {
			var b bytes.Buffer
			w := NewJSON(&b)
			for rest := []byte(text); len(rest) > 0; {
				n := len(rest)
				if step > 0 {
					n = min(step, n)
				}
				must.Get(w.Write(rest[:n]))(t)
				rest = rest[n:]
			}
			if b.String() != want || !json.Valid(b.Bytes()) {
				t.Errorf("%s, %d bytes at a time: got %s, want %s", text, step, b.String(), want)
			}
		}
	}
}
