//go:build ibverbs && linux

package ibverbs

// #include "shim.h"
import "C"

import (
	"fmt"
	"syscall"

	"dpukv/verbs"
)

// Port queries the port's state.
func (d *Device) Port() (verbs.Port, error) {
	if d.ctx == nil {
		return verbs.Port{}, d.closed("query port")
	}
	attr, err := d.queryPort()
	if err != nil {
		return verbs.Port{}, err
	}
	mtu, err := d.pathMTU(mtuBytes(attr.active_mtu))
	if err != nil {
		return verbs.Port{}, err
	}
	return verbs.Port{
		Number: int(d.port), Active: attr.state == C.IBV_PORT_ACTIVE,
		LinkLayer: linkLayer(attr.link_layer),
		LID:       uint16(attr.lid), MTU: mtu, GIDIndex: d.gid.index, GID: d.gid.gid,
		MaxInline: d.maxInline,
	}, nil
}

func (d *Device) queryPort() (attr C.struct_ibv_port_attr, err error) {
	err = d.check(int(C.shim_query_port(d.ctx, d.port, &attr)), "ibv_query_port %d", d.port)
	return attr, err
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
func mtuBytes(e C.enum_ibv_mtu) int { return 128 << e }

func mtuEnum(bytes int) C.enum_ibv_mtu {
	for e := C.enum_ibv_mtu(C.IBV_MTU_256); e <= C.IBV_MTU_4096; e++ {
		if mtuBytes(e) == bytes {
			return e
		}
	}
	return 0
}

func linkLayer(l C.uint8_t) verbs.LinkLayer {
	if l == C.IBV_LINK_LAYER_ETHERNET {
		return verbs.LinkEthernet
	}
	return verbs.LinkInfiniBand // old InfiniBand drivers report "unspecified"
}

// selectPort refuses a port that is down: such a port silently drops packets, and its GIDs may be
// missing. It then chooses one of the port's GIDs.
func (d *Device) selectPort(gidIndex int) error {
	attr, err := d.queryPort()
	if err != nil {
		return err
	}
	if attr.state != C.IBV_PORT_ACTIVE {
		return fmt.Errorf("%s: found port %d %s, allowed: active; look at the cable, at the "+
			"network device (rdma link; ip link set … up), "+
			"and on InfiniBand for a subnet manager",
			d.name, d.port, C.GoString(C.ibv_port_state_str(attr.state)))
	}
	if _, err := d.pathMTU(mtuBytes(attr.active_mtu)); err != nil {
		return err
	}
	table, err := d.gidTable(int(attr.gid_tbl_len))
	if err != nil {
		return err
	}
	d.gid, err = chooseGID(table, linkLayer(attr.link_layer), gidIndex)
	if err != nil {
		return fmt.Errorf("%s port %d: %w", d.name, d.port, err)
	}
	return nil
}

// gidTable returns the port's table, of a number of rows. The call returns the rows of all ports of
// the device, and fails if it has no room for them.
func (d *Device) gidTable(rows int) ([]gidEntry, error) {
	if rows == 0 {
		return nil, nil
	}
	entries := make([]C.struct_ibv_gid_entry, rows*d.ports)
	n, err := C.ibv_query_gid_table(d.ctx, &entries[0], C.size_t(len(entries)), 0)
	if n < 0 {
		if err == nil {
			err = syscall.Errno(-n)
		}
		return nil, d.fail(err, "ibv_query_gid_table")
	}
	var table []gidEntry
	for i := range entries[:n] {
		e := &entries[i]
		if e.port_num == C.uint32_t(d.port) {
			table = append(table, gidEntry{int(e.gid_index), gidType(e.gid_type), verbs.GID(e.gid)})
		}
	}
	return table, nil
}
