package hashbench

import (
	"bytes"
	"flag"
	"fmt"
	"hash"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
)

var update = flag.Bool("update", false, "rewrite testdata/digests.txt")

// TestDigests compares every function's results for 0 to 1500 bytes with the recorded ones. Package
// reference has checked those that have C references. All architectures and build variants must
// give these bits.
func TestDigests(t *testing.T) {
	var got bytes.Buffer
	for _, f := range All() {
		if !f.PerProcess {
			fmt.Fprintf(&got, "%s %016x\n", f.Name, f.Digest())
		}
	}
	path := filepath.Join("testdata", "digests.txt")
	if *update {
		must.Do(t, os.WriteFile(path, got.Bytes(), 0o666))
	}
	want := must.Get(os.ReadFile(path))(t)
	gotLines, wantLines := bytes.Split(got.Bytes(), []byte("\n")), bytes.Split(want, []byte("\n"))
	if len(gotLines) != len(wantLines) {
		t.Errorf("%d functions, %s has %d: go test -update writes it", len(gotLines), path, len(wantLines))
	}
	for i := range min(len(gotLines), len(wantLines)) {
		if !bytes.Equal(gotLines[i], wantLines[i]) {
			t.Errorf("digest %q, want %q", gotLines[i], wantLines[i])
		}
	}
}

// Variants of one function give the same bits.
func TestVariantsAgree(t *testing.T) {
	digests := map[string]uint64{}
	for _, f := range All() {
		if f.PerProcess {
			continue
		}
		d := f.Digest()
		if first, ok := digests[f.Base()]; ok && d != first {
			t.Errorf("%s differs from the default variant of %s", f.Name, f.Base())
		}
		digests[f.Base()] = d
	}
}

// The FNV of this package equals that of the standard library.
func TestFNVIsTheStandardLibrarys(t *testing.T) {
	for name, h := range map[string]hash.Hash{
		"fnv1-32": fnv.New32(), "fnv1a-32": fnv.New32a(), "fnv1-64": fnv.New64(), "fnv1a-64": fnv.New64a(),
		"fnv1-128": fnv.New128(), "fnv1a-128": fnv.New128a(),
	} {
		f := must.Get(Find(name))(t)
		for n := range 300 {
			h.Reset()
			_, _ = h.Write(ascending(n))
			lo, hi := f.Native.Sum(ascending(n))
			text := fmt.Sprintf("%016x%016x", hi, lo)
			if want := fmt.Sprintf("%x", h.Sum(nil)); text[len(text)-len(want):] != want {
				t.Fatalf("%s of %d bytes is %s, the standard library's %s", name, n, text, want)
			}
		}
	}
}

// This is SMHasher's VerificationTest. It hashes the bytes 0 to i-1 with seed 256-i, for i up to
// 255, and then the hashes once more. SMHasher's main.cpp has the results.
func TestMurmur2HasSMHashersVerificationValue(t *testing.T) {
	var all32, all64 []byte
	for i := range 256 {
		h32, h64 := murmur2Seeded(ascending(i), uint32(256-i)), murmur64ASeeded(ascending(i), uint64(256-i))
		for shift := 0; shift < 64; shift += 8 {
			if shift < 32 {
				all32 = append(all32, byte(h32>>shift))
			}
			all64 = append(all64, byte(h64>>shift))
		}
	}
	if got := murmur2(all32); got != 0x27864c1e {
		t.Errorf("MurmurHash2: %#x", got)
	}
	if got := uint32(murmur64A(all64)); got != 0x1f0d3804 {
		t.Errorf("MurmurHash64A: %#x", got)
	}
}

// TestARM64 runs the tests of this package and of package tuned for arm64 under an emulator.
// Assembly and NEON give the same bits, too.
func TestARM64(t *testing.T) {
	if testing.Short() {
		t.Skip("cross-compiles and emulates")
	}
	emulator := programs.Need(t, "qemu-aarch64-static")
	for _, pkg := range []string{".", "./tuned", "./clock"} {
		binary := filepath.Join(t.TempDir(), "test")
		build := exec.Command("go", "test", "-c", "-o", binary, pkg)
		build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", pkg, err, out)
		}
		run := exec.Command(emulator, binary, "-test.short", "-test.v", "-test.skip", "TestCost")
		run.Dir = pkg
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", pkg, err, out)
		}
		if !bytes.Contains(out, []byte("--- PASS")) {
			t.Errorf("%s: nothing was tested:\n%s", pkg, out)
		}
	}
}
