package hashbench

// The kinds of the modules' code on this architecture. Some modules leave out
// assembly with -tags purego.
const (
	asmAll     = asmUnlessPure
	asmAMD64   = PureGo
	asmLong    = Asm // beyond 240 bytes
	asmStd     = Asm
	asmSip     = PureGo
	asmHighway = Asm
)
