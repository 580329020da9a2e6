package submodetool

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/examples"
	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/placement/submode/step"
	"dpukv/placement/testbed"
)

var update = flag.Bool("update", false, "write testdata anew")

// TestSudoers: the file for the study's testbed is as it was, and sudo's own program takes it.
func TestSudoers(t *testing.T) {
	text, _ := sudoers(t, "ubuntu")
	file := "testdata/bluefield.sudoers"
	if *update {
		must.Do(t, os.MkdirAll("testdata", 0o755))
		must.Do(t, os.WriteFile(file, text, 0o644))
	}
	if want, err := os.ReadFile(file); err != nil || !bytes.Equal(want, text) {
		t.Errorf("%s differs (go test ./placement/submodetool -run TestSudoers -update writes it): %v\n%s",
			file, err, text)
	}
	if bytes.Contains(text, []byte("NOPASSWD: ALL")) {
		t.Error("found a rule for all commands")
	}
	visudo := programs.Need(t, "/usr/sbin/visudo")
	copied := filepath.Join(t.TempDir(), "sudoers")
	must.Do(t, os.WriteFile(copied, text, 0o440))
	if out, err := exec.Command(visudo, "-c", "-f", copied).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// sudoers returns the file for the study's testbed with another user, and the testbed.
func sudoers(t *testing.T, user string) ([]byte, testbed.Testbed) {
	t.Helper()
	text := must.Get(examples.Testbeds.ReadFile("bluefield.yaml"))(t)
	text = bytes.ReplaceAll(text, []byte("user: ubuntu"), []byte("user: "+user))
	bed := must.Get(testbed.Parse("bluefield.yaml", text))(t)
	var b bytes.Buffer
	must.Do(t, Sudoers(&b, &bed, "v1"))
	return b.Bytes(), bed
}

// TestSudoAllows asks sudo itself whether each command is allowed, and one with another script not.
func TestSudoAllows(t *testing.T) {
	programs.Need(t, "sudo")
	if os.Geteuid() != 0 {
		t.Skip("needs root, who may ask for another user's rights")
	}
	text, bed := sudoers(t, "daemon")
	file := filepath.Join(t.TempDir(), "sudoers")
	must.Do(t, os.WriteFile(file, text, 0o440))
	allows := func(argv []string) bool {
		script := append([]string{
			"--mount", "sh", "-c",
			`mount --bind "$1" /etc/sudoers && shift && exec sudo -n -U daemon -l -- "$@"`, "sh", file,
		}, argv...)
		return exec.Command("unshare", script...).Run() == nil
	}
	commands := must.Get(bed.Node("dpuB").Rights())(t)
	for _, argv := range commands {
		if _, err := exec.LookPath(argv[0]); err != nil {
			continue // not on this machine
		}
		found := make([]string, len(argv))
		for i, word := range argv {
			found[i] = strings.ReplaceAll(word, step.AsFound, "what is\nfound; there")
		}
		if !allows(found) {
			t.Errorf("sudo refuses %s", step.Quote(found))
		}
		if found[0] == "sh" {
			found[2] += "; id"
			if allows(found) {
				t.Errorf("sudo allows %s", step.Quote(found))
			}
		}
	}
	if allows([]string{"sh", "-c", "id"}) || allows([]string{"id"}) {
		t.Error("sudo allows any command")
	}
}

func TestSudoersCommand(t *testing.T) {
	got := sudoersCommand([]string{"sh", "-c", "a=1\n\tb  c # [x]", "sh", "AS_FOUND"})
	if want := "/bin/sh -c a\\=1?\\\tb \\ c \\# \\[x\\] sh *"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestNoSudo: without sudo there is nothing to allow.
func TestNoSudo(t *testing.T) {
	bed := must.Get(testbed.Parse("t.yaml", []byte("nodes: {a: {}, b: {}}\nclient_side: a\nserver_side: b\n")))(t)
	if err := Sudoers(&strings.Builder{}, &bed, "v1"); err == nil ||
		!strings.Contains(err.Error(), "no card with sudo: true") {
		t.Errorf("found %v", err)
	}
}
