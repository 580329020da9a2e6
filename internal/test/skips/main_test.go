package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeRun(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRun(t *testing.T) {
	stale := testList + "test ^b\\.\n  Gone.\n"
	for name, test := range map[string]struct {
		list, run string
		strict    bool
		wantErr   string
		wantSaid  string
	}{
		"allowed": {testList, fullRun, true, "", "allowed: " + needsTool + " [No package has it.]"},
		"not allowed": {
			testList, shortRun, true, "the skips of make test are not those of",
			"NOT ALLOWED: a.TestSlow: a_test.go:9: slow\nInstall what is missing (make deps), or add",
		},
		"stale": {
			stale, fullRun, true, "are not those of", `:10: ^b\. matches no skip of make test: remove`,
		},
		"not strict":       {testList, shortRun, false, "", "NOT ALLOWED: a.TestSlow"},
		"stale not strict": {stale, fullRun, false, "", "STALE: "},
	} {
		t.Run(name, func(t *testing.T) {
			var said strings.Builder
			todo := task{list: writeRun(t, test.list), strict: test.strict}
			err := todo.run(&said, []string{"test", writeRun(t, test.run)})
			if (err == nil) != (test.wantErr == "") ||
				err != nil && !strings.Contains(err.Error(), test.wantErr) {
				t.Errorf("found error %v, want %q", err, test.wantErr)
			}
			if !strings.Contains(said.String(), test.wantSaid) {
				t.Errorf("found %s, want %q", said.String(), test.wantSaid)
			}
		})
	}
	err := (&task{strict: true}).run(t.Output(), []string{"test"})
	if err == nil || !strings.Contains(err.Error(), "want STAGE and FILEs") {
		t.Errorf("no file: found %v", err)
	}
}

// TestAgain: what the short run skipped without leave, or cut short, is run again; a part of a test
// with all of it.
func TestAgain(t *testing.T) {
	const record = fullRun + `
{"Action":"output","Package":"dpukv/b","Test":"TestMany","Output":"    b_test.go:1: a short run: 6 of 60"}
{"Action":"pass","Package":"dpukv/b","Test":"TestMany"}
{"Action":"output","Package":"dpukv/b/c","Test":"TestParts/one","Output":"    c_test.go:1: slow"}
{"Action":"skip","Package":"dpukv/b/c","Test":"TestParts/one"}
`
	var said strings.Builder
	todo := task{list: writeRun(t, testList), strict: true, again: true}
	err := todo.run(&said, []string{"test", writeRun(t, record)})
	const want = "-run ^(TestMany|TestParts)$ ./b ./b/c\n"
	if err != nil || said.String() != want {
		t.Errorf("found %q and %v, want %q", said.String(), err, want)
	}
}

// TestMissing: a program has one line, however many tests need it.
func TestMissing(t *testing.T) {
	record := ""
	for pkg, test := range map[string]string{"a/b": "TestPage/one", "a/c": "TestPage", "d": "TestD"} {
		name := "chromium"
		if pkg == "d" {
			name = "tshark"
		}
		record += fmt.Sprintf(`{"Action":"output","Package":"dpukv/%[1]s","Test":%[2]q,`+
			`"Output":"x_test.go:1: needs the program %[3]s, which is not installed\n"}
{"Action":"skip","Package":"dpukv/%[1]s","Test":%[2]q}
`, pkg, test, name)
	}
	var said strings.Builder
	todo := task{list: writeRun(t, testList), strict: true, missing: true}
	err := todo.run(&said, []string{"test", writeRun(t, record)})
	const want = "without chromium, which is not installed: tests left out: 2, of a/b, a/c\n" +
		"without tshark, which is not installed: tests left out: 1, of d\n"
	if err != nil || said.String() != want {
		t.Errorf("found %q and %v, want %q", said.String(), err, want)
	}
}
