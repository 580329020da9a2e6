//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"unsafe"

	"dpukv/internal/clib"
	"dpukv/verbs"
)

// Port queries the port's state.
func (d *Device) Port() (verbs.Port, error) {
	if d.ctx == 0 {
		return verbs.Port{}, d.closed("query port")
	}
	attr, err := d.queryPort()
	if err != nil {
		return verbs.Port{}, err
	}
	mtu, err := d.pathMTU(mtuBytes(attr.activeMTU))
	if err != nil {
		return verbs.Port{}, err
	}
	return verbs.Port{
		Number: int(d.port), Active: attr.state == portActive,
		LinkLayer: linkLayer(attr.linkLayer),
		LID:       attr.lid, MTU: mtu, GIDIndex: d.gid.index, GID: d.gid.gid,
		MaxInline: d.maxInline,
	}, nil
}

// queryPort calls the library's function: the header's macro also fills portCapFlags2, which nobody
// here reads.
func (d *Device) queryPort() (*ibvPortAttr, error) {
	attr := new(ibvPortAttr)
	rc := clib.Call(d.lib.queryPort, d.ctx, uintptr(d.port), uintptr(unsafe.Pointer(attr)))
	return attr, d.check(int(int32(rc)), "ibv_query_port %d", d.port)
}

// pathMTU returns the configured path MTU if the port supports it.
func (d *Device) pathMTU(active int) (int, error) {
	if d.mtu == 0 {
		return active, nil
	}
	if mtuEnum(d.mtu) == 0 || d.mtu > active {
		return 0, fmt.Errorf("%s: path MTU %d: want 256, 512, 1024, 2048 or 4096, at most the "+
			"port's active %d", d.name, d.mtu, active)
	}
	return d.mtu, nil
}

// libibverbs numbers the MTUs 256 to 4096 from 1 to 5.
func mtuBytes(e int32) int { return 128 << e }

func mtuEnum(bytes int) int32 {
	for e := int32(mtu256); e <= mtu4096; e++ {
		if mtuBytes(e) == bytes {
			return e
		}
	}
	return 0
}

func linkLayer(l uint8) verbs.LinkLayer {
	if l == linkLayerEthernet {
		return verbs.LinkEthernet
	}
	return verbs.LinkInfiniBand // old InfiniBand drivers report "unspecified"
}

// selectPort refuses a port that is down: such a port silently drops packets, and its GIDs may be
// missing. It then chooses one of the port's GIDs.
func (d *Device) selectPort(gidIndex int, address netip.Addr) error {
	attr, err := d.queryPort()
	if err != nil {
		return err
	}
	if attr.state != portActive {
		return fmt.Errorf("%s: found port %d %s, allowed: active; look at the cable, at the "+
			"network device (rdma link; ip link set … up), "+
			"and on InfiniBand for a subnet manager",
			d.name, d.port, clib.String(clib.Call(d.lib.portStateStr, uintptr(attr.state))))
	}
	if _, err := d.pathMTU(mtuBytes(attr.activeMTU)); err != nil {
		return err
	}
	link := linkLayer(attr.linkLayer)
	port := filepath.Join(d.sysfs, "ports", fmt.Sprint(d.port))
	table := readGIDs(port, int(attr.gidTblLen), link)
	d.gid, err = chooseGID(table, link, gidIndex, address)
	if err != nil {
		return fmt.Errorf("%s port %d: %w", d.name, d.port, err)
	}
	return nil
}
