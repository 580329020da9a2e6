package guest

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

var (
	//go:embed kernel.sh
	kernelScript string
	//go:embed guest.config
	guestConfig string
)

// ErrCannot is wrapped by the error of a machine that cannot run the guest. That error has the
// reason.
var ErrCannot = errors.New("this machine cannot run the guest")

// kernelBuild is a kernel that kernel.sh finds or builds.
type kernelBuild struct {
	name     string   // of the file in the cache
	config   string   // of the kernel
	image    string   // the file that make leaves
	packages string   // Debian's, beside those that every build needs
	options  []string // of make
}

var guestKernelBuild = kernelBuild{
	name: "uml", config: guestConfig, image: "linux", options: []string{"ARCH=um"},
	packages: "libibverbs-dev ibverbs-providers rdma-core perftest " +
		"busybox-static iproute2 util-linux",
}

// Kernel finds the guest's kernel, or builds it, which takes minutes. It reports progress to say.
func Kernel(ctx context.Context, say io.Writer) (path string, err error) {
	return guestKernelBuild.find(ctx, say)
}

func (k *kernelBuild) find(ctx context.Context, say io.Writer) (path string, err error) {
	dir, err := os.MkdirTemp("", "guest")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	config := filepath.Join(dir, "config")
	if err := os.WriteFile(config, []byte(k.config), 0o600); err != nil {
		return "", err
	}
	//nolint:gosec // the script that is embedded here
	cmd := exec.CommandContext(ctx, "sh", append([]string{
		"-c", kernelScript, "kernel.sh", k.name, config, k.image,
	}, k.options...)...)
	cmd.Env = append(os.Environ(), "PACKAGES="+k.packages)
	var said bytes.Buffer
	cmd.Stderr = io.MultiWriter(&said, say)
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == 77 {
		return "", fmt.Errorf("%w: %s", ErrCannot, lastLine(said.String()))
	}
	if err != nil {
		return "", fmt.Errorf("the guest's kernel: %w: %s", err, lastLine(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
