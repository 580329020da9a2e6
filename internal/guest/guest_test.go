//go:build guest

package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	hostAddr  = "10.77.0.1"
	guestAddr = "10.77.0.2"
	// wireMTU leaves room for RoCE's largest path MTU and its headers.
	wireMTU = 4200
)

// sandbox is the guest, and the process at the other end of its wire.
type sandbox struct {
	kernel string
	dir    string // of scripts and outputs; the guest reads it at the same path
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	s := &sandbox{kernel: guestKernel(t), dir: t.TempDir()}
	s.write(t, "init", initScript)
	return s
}

func (s *sandbox) path(name string) string { return filepath.Join(s.dir, name) }

func (s *sandbox) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o755); err != nil { //nolint:gosec // scripts to be run
		t.Fatal(err)
	}
}

// read is the output of one part of the sandbox. The console ends its lines as terminals do.
func (s *sandbox) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		t.Error(err)
	}
	return strings.ReplaceAll(string(text), "\r", "")
}

// boot is the command that runs the guest with a device for its network.
func (s *sandbox) boot(device, addr string) string {
	return strings.Join([]string{
		// The guest's memory is an unlinked file there.
		"TMPDIR=/dev/shm", s.kernel, "mem=768M", "uml_dir=" + s.dir + "/",
		"root=/dev/root rootfstype=hostfs rootflags=/ ro init=" + s.path("init"),
		"con=null con0=fd:0,fd:1 ssl=null quiet",
		fmt.Sprintf("vec0:transport=tap,ifname=tap0,depth=64,gro=0,mtu=%d", wireMTU),
		fmt.Sprintf("job=%s net=%s addr=%s/24 mtu=%d", s.path("job"), device, addr, wireMTU),
		"</dev/null >" + s.path("guest") + " 2>&1",
	}, " ")
}

// run runs a script in network and process namespaces that end with the script.
func (s *sandbox) run(t *testing.T, script string, limit time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "unshare", "--net", "--pid", "--mount-proc", "--fork", "--kill-child", "sh", "-euc",
		script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = 5 * time.Second
	started := time.Now()
	out, err := cmd.CombinedOutput()
	t.Logf("the sandbox took %.1f s", time.Since(started).Seconds())
	if ctx.Err() != nil {
		err = fmt.Errorf("not done within %v", limit)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// tapScript makes this side of the wire.
const tapScript = `
ip link set lo up
ip tuntap add tap0 mode tap
ip address add ` + hostAddr + `/24 dev tap0
ip link set tap0 mtu 4200 up
`

// guestOutput is the output of the guest's job. A job that failed, or never ended, is an error.
func (s *sandbox) guestOutput(t *testing.T) string {
	t.Helper()
	out := s.read(t, "guest")
	status := jobEnded.FindStringSubmatch(out)
	if status == nil {
		t.Errorf("the guest's job did not end; its console:\n%s", lastLines(out, 40))
	} else if status[1] != "0" {
		t.Errorf("the guest's job ended with status %s; its console:\n%s", status[1], lastLines(out, 40))
	}
	return out
}

// tail is the last n lines.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// TestKernels finds or builds the kernels of all stages, before others wait for them.
func TestKernels(t *testing.T) {
	guestKernel(t)
	_, err := kernel64.find(t.Context(), logWriter{t})
	skipIfCannot(t, err)
}

// guestKernel finds or builds the kernel. A machine that cannot run it skips the test.
func guestKernel(t *testing.T) string {
	t.Helper()
	path, err := Kernel(t.Context(), logWriter{t})
	skipIfCannot(t, err)
	return path
}

func skipIfCannot(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, ErrCannot) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// logWriter logs a build's progress at once: the build takes minutes.
type logWriter struct{ t *testing.T }

func (w logWriter) Write(p []byte) (int, error) {
	if strings.HasPrefix(string(p), "kernel: ") {
		w.t.Log(strings.TrimSpace(string(p)))
	}
	return len(p), nil
}

// build compiles a package's tests as a release is built. It must follow guestKernel, which installs
// libibverbs, which the tests load.
func (s *sandbox) build(t *testing.T, pkg string) (binary string) {
	t.Helper()
	binary = s.path(filepath.Base(pkg) + ".test")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", binary, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go test -c %s: %v\n%s", pkg, err, out)
	}
	return binary
}
