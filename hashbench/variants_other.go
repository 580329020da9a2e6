//go:build !amd64 && !arm64

package hashbench

const (
	asmAll     = PureGo
	asmAMD64   = PureGo
	asmLong    = PureGo
	asmStd     = PureGo
	asmSip     = PureGo
	asmHighway = PureGo
)
