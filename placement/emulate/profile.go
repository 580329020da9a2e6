package emulate

// Profile models a generation of DPUs on cores of this machine.
type Profile struct {
	Name         string  // of the file, without folder and ending
	Cores        int     // that the DPU has
	CoreStrength float64 // of one of them, as a share of a core of this machine: (0, 1]
	LinkGbps     float64 // of its port; 0: not said
}
