//go:build guest

package guest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// kernel64 is a kernel of arm64 whose pages have 64 KiB, as BlueField's images have it.
var kernel64 = kernelBuild{
	name: "arm64-64k", config: read("arm64-64k.config"), image: "arch/arm64/boot/Image",
	packages: "gcc-aarch64-linux-gnu libc6-dev-arm64-cross cpio qemu-system-arm",
	options:  []string{"ARCH=arm64", "CROSS_COMPILE=aarch64-linux-gnu-"},
}

func read(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestPages64 runs the short tests of the packages that map memory on a kernel whose pages have 64
// KiB. Its transparent huge pages have 512 MiB. The pools of huge pages differ between the subtests.
// With the pool of BlueField's images, all packages run. With the others, those run whose code
// depends on the pool.
func TestPages64(t *testing.T) {
	kernel, err := kernel64.find(t.Context(), logWriter{t})
	skipIfCannot(t, err)
	memory := archive64(t, "internal/offheap", "verbs/shm")
	all := archive64(t, "internal/offheap", "kvs/partition", "verbs/shm")
	for _, pool := range []struct{ name, options, archive string }{
		{"none", "", memory},
		{"2m", "hugepagesz=2M hugepages=256", memory},
		{"512m", "default_hugepagesz=512M hugepagesz=512M hugepages=3", all},
	} {
		t.Run("pool="+pool.name, func(t *testing.T) {
			sections := boot64(t, kernel, pool.archive, pool.options)
			for name, output := range sections {
				t.Run(name, func(t *testing.T) { reportSkips(t, output, skipAlso) })
			}
		})
	}
}

// skipAlso skips what was skipped in the machine, for the reason given there.
func skipAlso(t *testing.T, text string) {
	t.Helper()
	t.Skip(text)
}

// archive64 is a root file system with the tests of these packages, and the process that runs them.
func archive64(t *testing.T, packages ...string) string {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	crossGo(t, "build", "-o", filepath.Join(root, "init"), "dpukv/internal/guest/pages64")
	for _, pkg := range packages {
		// The machine has no dynamic linker.
		crossGo(t, "test", "-c", "-tags", "static", "-o", filepath.Join(root, "tests", filepath.Base(pkg)+".test"),
			"dpukv/"+pkg)
	}
	archive := filepath.Join(dir, "root.gz")
	cmd := exec.CommandContext(t.Context(), "sh", "-ec",
		`find . | cpio --quiet -o -H newc | gzip -1 >"$1"`, "sh", archive)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return archive
}

func crossGo(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

var testsOf = regexp.MustCompile(`(?m)^guest: tests of (\w+)$`)

// boot64 boots the machine and returns what the tests of each package printed.
func boot64(t *testing.T, kernel, archive, options string) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Minute,
		fmt.Errorf("the machine is not done within 20 minutes"))
	defer cancel()
	//nolint:gosec // the kernel that was built
	cmd := exec.CommandContext(ctx, "qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72",
		"-smp", "2", "-m", "6144", "-nic", "none", "-nographic", "-no-reboot",
		"-kernel", kernel, "-initrd", archive,
		"-append", "console=ttyAMA0 panic=-1 quiet "+options)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = 5 * time.Second
	var console bytes.Buffer
	cmd.Stdout, cmd.Stderr = &console, &console
	started := time.Now()
	err := cmd.Run()
	t.Logf("the machine took %.1f s", time.Since(started).Seconds())
	output := strings.ReplaceAll(console.String(), "\r", "")
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if status := jobEnded.FindStringSubmatch(output); err != nil || status == nil {
		t.Errorf("the machine's job did not end: %v; its console:\n%s", err, lastLines(output, 40))
	} else if status[1] != "0" {
		t.Errorf("the machine's job ended with status %s", status[1])
	}
	return sectionsOf(output)
}

// sectionsOf are the parts of the console, by the package whose tests printed them.
func sectionsOf(output string) map[string]string {
	sections := map[string]string{}
	heads := testsOf.FindAllStringSubmatchIndex(output, -1)
	for i, head := range heads {
		end := len(output)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		sections[output[head[2]:head[3]]] = output[head[1]:end]
	}
	return sections
}
