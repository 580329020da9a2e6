package card

import (
	"reflect"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/internal/test/transcript"
	"dpukv/placement/submode/step"
)

// Output of mlxconfig -e query, shortened. The first is from NVIDIA's documents, the second has the
// older form of values. None is from a card of this project.
const (
	head = `
Device #1:
----------

Device type:    BlueField3
Name:           900-9D3B6-00CV-A_Ax
Device:         0000:03:00.0

Configurations:                 Default             Current             Next Boot
`
	modelDPU       = head + "        INTERNAL_CPU_MODEL   EMBEDDED_CPU(1)  EMBEDDED_CPU(1)  EMBEDDED_CPU(1)\n"
	modelLeaving   = head + "*       INTERNAL_CPU_MODEL  EMBEDDED_CPU(1)  EMBEDDED_CPU(1)  SEPARATED_HOST(0)\n"
	modelSeparated = head + "*       INTERNAL_CPU_MODEL   1                0                0\n"
	engineOn       = head + "        INTERNAL_CPU_OFFLOAD_ENGINE  ENABLED(0)  ENABLED(0)  ENABLED(0)\n"
	engineOff      = head + "*       INTERNAL_CPU_OFFLOAD_ENGINE  ENABLED(0)  DISABLED(1)  ENABLED(0)\n"
	noEngine       = "-E- The Device doesn't support INTERNAL_CPU_OFFLOAD_ENGINE parameter\n"
)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		out  string
		want Card
		err  string
	}{
		"DPU":       {modelDPU + engineOn, Card{Default: DPU, Current: DPU, NextBoot: DPU}, ""},
		"separated": {modelSeparated + engineOn, Card{Default: DPU, Current: Separated, NextBoot: Separated}, ""},
		"NIC":       {modelDPU + engineOff, Card{Default: DPU, Current: NIC, NextBoot: DPU}, ""},
		"leaving":   {modelLeaving + engineOn, Card{Default: DPU, Current: DPU, NextBoot: Separated}, ""},
		"old firmware": {
			modelDPU + failedMark + " " + engineKey + "\n" + noEngine,
			Card{Default: DPU, Current: DPU, NextBoot: DPU},
			"",
		},
		"facts": {
			modelDPU + deviceMark + " 0000:03:00.0\n" + engineOn + idMark + " 0xa2dc\n" + firmwareMark +
				" 32.41.1000\n",
			Card{
				Device: "0000:03:00.0", Generation: "bf3", Firmware: "32.41.1000", Default: DPU, Current: DPU,
				NextBoot: DPU,
			},
			"",
		},
		"engine unread": {
			modelDPU + failedMark + " " + engineKey + "\n-E- Failed to open the device\n",
			Card{},
			"found no INTERNAL_CPU_OFFLOAD_ENGINE",
		},
		"nothing": {"", Card{}, "found no INTERNAL_CPU_MODEL"},
	} {
		got, err := Parse(c.out)
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: got %v, want %q", name, err, c.err)
		case c.err == "" && (err != nil || !reflect.DeepEqual(got, c.want)):
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, c.want)
		}
	}
}

// TestCheck: the current mode counts, and not the one after the next power cycle.
func TestCheck(t *testing.T) {
	c := Card{Default: DPU, Current: DPU, NextBoot: Separated}
	err := c.Check(Separated)
	for _, want := range []string{"found DPU mode", "allowed: separated-host mode", "after a power cycle"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	must.Do(t, c.Check(DPU))
}

// here puts programs first in the PATH, and returns a node that runs commands here.
func here(t *testing.T, scripts map[string]string) step.Node {
	t.Helper()
	programs.Need(t, "awk")
	programs.First(t, scripts)
	return step.Via("here", func(argv []string) ([]string, error) { return argv, nil })
}

const sudo = "shift; exec \"$@\"\n" // sudo -n COMMAND

// TestRead: where the kernel refuses the PCI address, the device of mst answers; firmware that
// lacks a key answers for the others.
func TestRead(t *testing.T) {
	mst := "cat <<'END'\n" +
		transcript.Read(t, "../testdata/transcripts/doca-2.9/mst-status.txt") + "END\n"
	const mlxconfig = `
test $# = 5 || { echo "-E- found $#" >&2; exit 3; } # one key
test "$2" = /dev/mst/mt41692_pciconf0 || { echo "-E- Failed to open the device"; exit 3; }
case $5 in
INTERNAL_CPU_MODEL) echo "  INTERNAL_CPU_MODEL  EMBEDDED_CPU(1)  SEPARATED_HOST(0)  EMBEDDED_CPU(1)" ;;
*) echo "-E- The Device doesn't support $5 parameter"; exit 3 ;;
esac
`
	n := here(t, map[string]string{"mst": mst, "mlxconfig": mlxconfig, "sudo": sudo})
	got, err := Read(t.Context(), n, "0000:03:00.0")
	want := Card{
		PCI: "0000:03:00.0", Device: "/dev/mst/mt41692_pciconf0",
		Default: DPU, Current: Separated, NextBoot: DPU,
	}
	got.Generation, got.Firmware = "", "" // of this machine, if it had one at this address
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// TestParseNextBoot: without -e, mlxconfig tells only the next boot's values. These do not pass for
// the current ones.
func TestParseNextBoot(t *testing.T) {
	out := transcript.Read(t, "../testdata/transcripts/undated/mstconfig-query.txt")
	if c, err := Parse(out); err == nil || !strings.Contains(err.Error(), "found no "+modelKey) {
		t.Errorf("found %+v, %v", c, err)
	}
}

// TestReadRefused: without an answer, the error says what the tools said, and what to do.
func TestReadRefused(t *testing.T) {
	n := here(t, map[string]string{
		"mst": "exit 1\n", "mlxconfig": "echo '-E- Operation not permitted'; exit 3\n", "sudo": sudo,
	})
	_, err := Read(t.Context(), n, "0000:03:00.0")
	for _, want := range []string{"Operation not permitted", "mst start", "sudo -n mlxconfig"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// FuzzParse: a card may print anything; reading it must not panic.
func FuzzParse(f *testing.F) {
	f.Add(modelDPU + engineOn)
	f.Add(deviceMark + " x\n" + noEngine)
	f.Fuzz(func(_ *testing.T, out string) {
		_, _ = Parse(out)
		_, _ = parseLook(out)
	})
}

// TestFormsOfMlxconfig: a value that may only be read is one, and firmware without the key of the
// mode knows the DPU mode only. Of a card that is no BlueField, that says nothing.
func TestFormsOfMlxconfig(t *testing.T) {
	const folder, engine = "../testdata/transcripts/undated/", engineKey + " 0 0 0\n"
	readOnly, err := Parse(transcript.Read(t, folder+"mlxconfig-ro.txt") + engine)
	if err != nil || readOnly.Current != DPU || !readOnly.ReadOnly {
		t.Errorf("read-only: found %+v, %v", readOnly, err)
	}
	if err := readOnly.Check(Separated); err == nil || !strings.Contains(err.Error(), "change it on the card's Arm") {
		t.Errorf("read-only: found %v", err)
	}
	out := transcript.Read(t, folder+"mlxconfig-no-model.txt") + engine + failedMark + " " + modelKey + "\n"
	if c, err := Parse(out); err == nil {
		t.Errorf("no BlueField: found %+v", c)
	}
	old, err := Parse(out + idMark + " 0xa2d2\n" + channelsMark + " p0 4\n")
	if err != nil || old.Current != DPU || !old.NoModel || old.Channels["p0"] != 4 {
		t.Errorf("no key: found %+v, %v", old, err)
	}
	if err := old.Check(Separated); err == nil || !strings.Contains(err.Error(), "no other mode") {
		t.Errorf("no key: found %v", err)
	}
}

// TestQueryForms runs the command with a tool that does not know the key of the mode, and with one of
// a distribution.
func TestQueryForms(t *testing.T) {
	n := here(t, map[string]string{
		"mlxconfig": `case $5 in *MODEL) echo "-E- The Device doesn't support $5 parameter"; exit 3;; esac; echo "$5 0 0 0"` + "\n",
		"mst":       "exit 1\n", "sudo": sudo,
	})
	out, err := n.Run(t.Context(), Query("0000:03:00.0"))
	if c, _ := Parse(out + idMark + " 0xa2d6\n"); err != nil || c.Current != DPU || c.Device != "0000:03:00.0" {
		t.Errorf("found %+v, %v", c, err)
	}
}
