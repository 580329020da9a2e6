package redirect

import (
	"errors"
	"net/netip"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/placement/submode/packetfilter"
)

// inNamespace moves the test's thread into a network namespace of its own, with a pair of
// interfaces. The thread ends with the test.
func inNamespace(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("eBPF programs on interfaces need root")
	}
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skip("no network namespace of its own: ", err)
	}
	veth := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "a"}, PeerName: "b"}
	must.Do(t, netlink.LinkAdd(veth))
}

func TestAttachCountDetach(t *testing.T) {
	kernel.NeedBPF(t)
	inNamespace(t)
	f := packetfilter.Filter{DropClients: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}
	err := Attach("a", "b", &f, requests)
	if errors.Is(err, ebpf.ErrNotSupported) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) {
		t.Skip("this kernel takes no programs on tcx: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if c, err := Count(name, requests); err != nil || !reflect.DeepEqual(c, Counts{Programs: 1}) {
			t.Errorf("%s: got %+v, %v, want one program that counted nothing", name, c, err)
		}
		for range 2 { // the second time there is nothing to do
			must.Do(t, Detach(name))
		}
		if c, err := Count(name, requests); err != nil || !reflect.DeepEqual(c, Counts{}) {
			t.Errorf("%s: got %+v, %v, want no program", name, c, err)
		}
	}
	must.Do(t, Detach("none"))
}

// TestAttachOneWay: if one direction cannot be attached, neither is.
func TestAttachOneWay(t *testing.T) {
	kernel.NeedBPF(t)
	inNamespace(t)
	err := Attach("a", "none", &packetfilter.Filter{}, requests)
	if err == nil || !strings.Contains(err.Error(), "interface none") {
		t.Errorf("got %v, want an error about none", err)
	}
	if c, err := Count("a", requests); err == nil && c.Programs > 0 {
		t.Errorf("found %+v", c)
	}
	v6 := packetfilter.Filter{DropClients: []netip.Addr{netip.MustParseAddr("2001:db8::1")}}
	if err := Attach("a", "b", &v6, requests); err == nil || !strings.Contains(err.Error(), "allowed: IPv4") {
		t.Errorf("got %v, want an error about IPv4", err)
	}
}
