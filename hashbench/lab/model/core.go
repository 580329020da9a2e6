package model

// Core is a processor core with its settings for llvm-mca.
type Core struct {
	Name string   // "Cortex-A72"
	Of   string   // the machine that its rate is from
	Hz   float64  // its rate
	MCA  []string // flags of llvm-mca
	QEMU string   // the emulator's name: code chooses instructions by the core's features
	// Cycles for which a 64-bit multiplication occupies the multiplier, for its low and its high
	// half. 0 means that llvm-mca models it.
	MulBusy, UmulhBusy float64
}

// Cores are the cores of BlueField-2 and -3, at the rates of the study's testbed.
var Cores = []Core{
	{
		Name: "Cortex-A72", Of: "BlueField-2", Hz: 2.5e9,
		MCA:  []string{"-mcpu=cortex-a72", "-mattr=+crc,+crypto"},
		QEMU: "cortex-a72", MulBusy: 3, UmulhBusy: 4,
	},
	{
		Name: "Cortex-A78", Of: "BlueField-3", Hz: 3e9,
		MCA:  []string{"-mcpu=neoverse-n2", "-dispatch=6"},
		QEMU: "cortex-a76", // the nearest that Debian's qemu has
	},
}
