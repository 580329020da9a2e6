package ibverbs

import "net/netip"

// AutoGID makes [Open] choose the GID: the first RoCE v2 one with an IPv4 address, else the first
// RoCE v2 one, else (on InfiniBand) the first.
const AutoGID = -1

// Config names a device and its settings.
type Config struct {
	// Name is the name in ibv_devices, such as "mlx5_0". Empty: the only device.
	Name string
	// Port is the port number, from 1. 0: the first.
	Port int
	// GIDIndex is an index into the port's table, as ibv_devinfo -v lists it, or AutoGID.
	GIDIndex int
	// Address must be that of the GID on RoCE, where AutoGID chooses. The zero value: any will do.
	Address netip.Addr
	// MTU is the path MTU in bytes, at most the port's active one. 0: the active one.
	MTU int
}
