package hashbench

// What the modules have assembly for on this architecture. Some leave it out with -tags purego.
const (
	asmAll     = asmUnlessPure
	asmAMD64   = PureGo
	asmLong    = Asm // beyond 240 bytes
	asmStd     = Asm
	asmSip     = PureGo
	asmHighway = Asm
)
