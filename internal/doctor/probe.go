package doctor

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"dpukv/internal/foreign"
)

// wanted are the features of a NIC that spare the CPU, with their command of <linux/ethtool.h>.
// Their names are those of ethtool -K.
var wanted = []struct {
	name string
	get  uint32
}{
	{"rx", 0x14},
	{"tx", 0x16},
	{"tso", 0x1e},
	{"gso", 0x23},
	{"gro", 0x2b},
}

// nicFeatures are the wanted features that are off.
func nicFeatures(nic string) (off []string, err error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(socket)
	for _, f := range wanted {
		value := struct{ command, data uint32 }{f.get, 0} // struct ethtool_value
		request := struct {                               // struct ifreq
			name [unix.IFNAMSIZ]byte
			data unsafe.Pointer
			_    [16]byte
		}{data: unsafe.Pointer(&value)}
		copy(request.name[:unix.IFNAMSIZ-1], nic)
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), unix.SIOCETHTOOL,
			uintptr(unsafe.Pointer(&request)))
		if errno != 0 {
			return nil, fmt.Errorf("%s: %w", f.name, errno)
		}
		if value.data == 0 {
			off = append(off, f.name)
		}
	}
	return off, nil
}

// firmwareSetting is the value of a key of a NIC's firmware that holds now.
func firmwareSetting(pci, key string) (string, error) {
	const timeout = 5 * time.Second // it takes a second
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	command := exec.CommandContext(ctx, "mlxconfig", "-d", pci, "-e", "query", key)
	out, err := foreign.RunCombined(command)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("there is no mlxconfig command; install NVIDIA's firmware tools")
	case err != nil:
		return "", fmt.Errorf("mlxconfig: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return currentValue(string(out), key), nil
}

// currentValue reads a key's line of "mlxconfig -e query": the default, the current value, and the
// next boot's. It is empty where the firmware lacks the key.
func currentValue(out, key string) string {
	for line := range strings.Lines(out) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "*"))
		const columns = 4
		if len(f) >= columns && f[0] == key {
			return f[2]
		}
	}
	return ""
}

// nftTimeout is the limit of a command that normally takes milliseconds.
const nftTimeout = 2 * time.Second

// nftChains are nftables' chains, as text.
func nftChains() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), nftTimeout)
	defer cancel()
	out, err := foreign.RunCombined(exec.CommandContext(ctx, "nft", "list", "chains"))
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("nftables' rules cannot be read: there is no nft command; apt-get " +
			"install nftables")
	case strings.Contains(string(out), "not permitted"):
		return "", errNotAllowed
	case err != nil && strings.Contains(string(out), "not supported"):
		return "", nil // a kernel without nftables
	case err != nil:
		return "", fmt.Errorf("nft list chains: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}
