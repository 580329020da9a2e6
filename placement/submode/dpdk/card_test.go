package dpdk

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/step"
)

// TestProgram reads a real process and a log in the form of DPDK 22.11 with the option -v.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	sleep := exec.Command("sleep", "60")
	must.Do(t, sleep.Start())
	defer func() { _ = sleep.Process.Kill(); _ = sleep.Wait() }()
	node := step.Via("here", func(argv []string) ([]string, error) { return argv, nil })
	write := func(name, text string) {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write(TestpmdPID, strconv.Itoa(sleep.Process.Pid))
	testpmd := &Testpmd{Dir: dir}
	write("testpmd.log", "EAL: Detected CPU lcores: 2\n")
	if _, err := testpmd.Program(t.Context(), node); err == nil {
		t.Error("a log without a version was taken")
	}
	write("testpmd.log", "EAL: Detected CPU lcores: 2\nEAL: RTE Version: 'DPDK 22.11.10'\n")
	got, err := testpmd.Program(t.Context(), node)
	if err != nil || !strings.HasSuffix(got, ", DPDK 22.11.10") || !strings.HasPrefix(got, "/") {
		t.Errorf("found %q, %v", got, err)
	}
}

// TestCardPath: the folder of the card's DPDK comes before PATH.
func TestCardPath(t *testing.T) {
	argv := step.Shell(cardPath + "echo $PATH")
	out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).Output()
	if want := cardFolder + ":" + os.Getenv("PATH"); err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("found %q, %v, want %q", out, err, want)
	}
	start := (&Testpmd{OnCard: true, Filter: &packetfilter.Filter{}}).Start([]string{"dpdk-testpmd"})[0]
	if script := strings.Join(start.Run, " "); !strings.Contains(script, cardPath) {
		t.Errorf("found the start %q, want %q in it", script, cardPath)
	}
}
