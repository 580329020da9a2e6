package prose

import (
	"strings"
	"testing"
)

// TestMessages checks all strings of the product.
func TestMessages(t *testing.T) {
	problems, err := checkMessages(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

// TestBannedWords: a word is found in a chain of strings, and not in tags and names.
func TestBannedWords(t *testing.T) {
	for line, want := range map[string]string{
		`var x = "3 doubts " + "more"`:             `x.go:2: found "doubts" in the message "3 doubts more"`,
		`var x = "no " + "se" + "at"`:              `found "seat"`,
		`var x = "threads is 3, allowed is 1"`:     `found "allowed is"`,
		`var x = "size 3: want " + "4"`:            `found ": want"`,
		`type x struct{ Y int "json:\"doubts\"" }`: "",
		`var doubts = "found 3, allowed: 1 to 2"`:  "",
		`var x = "do as you want to, undoubted"`:   "",
	} {
		problems, err := checkStrings("x.go", []byte("package x\n"+line+"\n"))
		got := strings.Join(problems, "\n")
		if err != nil || want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, %v, want %q", line, got, err, want)
		}
	}
}
