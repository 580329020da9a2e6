package ibverbs

// AutoGID leaves the choice of the GID to [Open]: the first RoCE v2 one that is an IPv4 address,
// else the first RoCE v2 one, else (on InfiniBand) the first.
const AutoGID = -1

// Config says which device to open, and how.
type Config struct {
	// Name as ibv_devices lists it, such as "mlx5_0"; empty: the only one there is.
	Name string
	// Port number, from 1; 0: the first.
	Port int
	// GIDIndex into the port's table, as ibv_devinfo -v lists it, or AutoGID.
	GIDIndex int
	// MTU is the path MTU in bytes, at most the port's active one; 0: that one.
	MTU int
}
