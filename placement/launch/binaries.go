package launch

// Binaries finds the dpukv for an architecture.
type Binaries struct {
	Dir string // has dpukv-linux-arm64 and the like, for architectures other than this machine's; "": where this binary is
}
