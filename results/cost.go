package results

// Cost is the CPU time and the energy, by whom and where.
type Cost struct {
	// ServerCPUNsPerOp is the CPU time of the server process per operation, user and system. It is
	// 0 if the server's counters are not those of the load; a warning says why.
	ServerCPUNsPerOp float64 `json:"server_cpu_ns_per_op"`
	// ClientCPUNsPerOp is the CPU time of the client processes per operation, user and system. It
	// includes [Point.ComputeCPUNsPerOp].
	ClientCPUNsPerOp float64 `json:"client_cpu_ns_per_op"`
	// Parts are the processes that an operation passes, each with its CPU time: "application",
	// "proxy", "engine", "store"; those of a whole server or client are "server" and "application".
	// Those from the application on make up [Point.ClientCPUNsPerOp], without the proxy's, and
	// [Point.ServerCPUNsPerOp].
	Parts []Part `json:"parts,omitempty"`
	// ServerHostCPUNsPerOp is the CPU time per operation of the server's parts on a host.
	ServerHostCPUNsPerOp float64 `json:"server_host_cpu_ns_per_op,omitempty"`
	// ServerDPUCPUNsPerOp is the CPU time per operation of the server's parts on a DPU.
	ServerDPUCPUNsPerOp float64 `json:"server_dpu_cpu_ns_per_op,omitempty"`
	// ClientHostCPUNsPerOp is the CPU time per operation of the client's parts on a host, the
	// application's compute included.
	ClientHostCPUNsPerOp float64 `json:"client_host_cpu_ns_per_op,omitempty"`
	// ClientDPUCPUNsPerOp is the CPU time per operation of the client's parts on a DPU.
	ClientDPUCPUNsPerOp float64 `json:"client_dpu_cpu_ns_per_op,omitempty"`
	// ComputeCPUNsPerOp is the part of [Point.ClientCPUNsPerOp] that is the application's own
	// compute, see [load.Load.Compute].
	ComputeCPUNsPerOp float64 `json:"compute_cpu_ns_per_op,omitempty"`
	// ClientCPUShare is the CPU time of the client threads over the wall time of their CPUs.
	ClientCPUShare float64 `json:"client_cpu_share"`
	// ServerCPUShare is the CPU time of the server process over the wall time of its workers.
	ServerCPUShare float64 `json:"server_cpu_share"`
	// ClientBusyShare is [Point.ClientCPUShare] without the time of polling with nothing to do, and
	// without the compute.
	ClientBusyShare float64 `json:"client_busy_share"`
	// ServerOthersShare is the share of CPU time on [Point.ServerCPUs] that other programs used, by
	// the kernel's ticks. It is 0 if unknown: without pinning, or on another machine without dpukv.
	// Of a split server, the shares of CPU time are those of the half with the larger one.
	ServerOthersShare float64 `json:"server_others_share,omitempty"`
	// ServerStolenShare is the share of CPU time on [Point.ServerCPUs] that a hypervisor kept.
	ServerStolenShare float64 `json:"server_stolen_share,omitempty"`
	// ClientOthersShare is the same as [Point.ServerOthersShare] for the client. Of several
	// clients, it is that of the client with the largest share.
	ClientOthersShare float64 `json:"client_others_share,omitempty"`
	// ClientStolenShare is the same as [Point.ServerStolenShare] for the client. Of several
	// clients, it is that of the client with the largest share.
	ClientStolenShare float64 `json:"client_stolen_share,omitempty"`
	// ServerInterruptShare is the share of CPU time on [Point.ServerCPUs] that interrupts used,
	// packet processing in softirqs included, by the kernel's ticks. Some kernels count it in the
	// CPU time of the interrupted program, too. It is 0 if unknown, and in older points.
	ServerInterruptShare float64 `json:"server_interrupt_share,omitempty"`
	// ClientInterruptShare is the same as [Point.ServerInterruptShare] for the client. Of several
	// clients, it is that of the client with the largest share.
	ClientInterruptShare float64 `json:"client_interrupt_share,omitempty"`
	// ServerEnergyUJPerOp is the energy of the processors and memory of the server's machine for
	// each operation, with everything else that ran there. Of a split server, it is the sum over
	// its machines. It is absent if a machine has no readable counters, or is emulated.
	ServerEnergyUJPerOp float64 `json:"server_energy_uj_per_op,omitempty"`
	// ServerEnergyBy names the counters of [Point.ServerEnergyUJPerOp]: "rapl: package-0".
	ServerEnergyBy string `json:"server_energy_by,omitempty"`
	// ClientEnergyUJPerOp is the same as [Point.ServerEnergyUJPerOp] for the clients' machines. On
	// one machine, both have the whole.
	ClientEnergyUJPerOp float64 `json:"client_energy_uj_per_op,omitempty"`
	// ClientEnergyBy names the counters of [Point.ClientEnergyUJPerOp].
	ClientEnergyBy string `json:"client_energy_by,omitempty"`
}

// NeighbourWork is what the neighbour did, and what it used.
type NeighbourWork struct {
	// NeighbourOpsPerS is the work of the neighbour a second, from the order to go until the load
	// was over. It counts multiplications with an addition (cpu), or lines of 64 bytes that were
	// read and written (cache, memory).
	NeighbourOpsPerS float64 `json:"neighbour_ops_per_s,omitempty"`
	// NeighbourBytesPerS are the bytes that the neighbour read and wrote a second, over the time of
	// [Point.NeighbourOpsPerS].
	NeighbourBytesPerS float64 `json:"neighbour_bytes_per_s,omitempty"`
	// NeighbourCPUShare is the CPU time of the neighbour over the wall time of its CPUs, over the
	// time of [Point.NeighbourOpsPerS].
	NeighbourCPUShare float64 `json:"neighbour_cpu_share,omitempty"`
	// NeighbourSwitchesPerS is how often a second the kernel took a CPU from a thread of the
	// neighbour, over the time of [Point.NeighbourOpsPerS].
	NeighbourSwitchesPerS float64 `json:"neighbour_switches_per_s,omitempty"`
}

// Hashing is the share of the client's CPU time that hashes keys.
type Hashing struct {
	// ClientHashShare is the share of the client's CPU time that hashes keys.
	ClientHashShare float64 `json:"client_hash_share"`
	// ClientHashShareBy is the method of [Point.ClientHashShare]: "sampling", or an estimate and
	// the reason for it. It is absent if the client hashed nothing.
	ClientHashShareBy string `json:"client_hash_share_by,omitempty"`
	// ClientHashSamples is the number of samples behind [Point.ClientHashShare].
	ClientHashSamples int `json:"client_hash_samples,omitempty"`
	// ClientHashShareCheck is the same share from a second load with keys hashed beforehand. It is
	// 0 without that check.
	ClientHashShareCheck float64 `json:"client_hash_share_check,omitempty"`
}

// Part is a process that an operation passes: see [Point.Parts].
type Part struct {
	// "application", "proxy", "engine", "store" or "server"
	Part string `json:"part"`
	Node Node   `json:"node,omitzero"` // where it ran
	// CPUNsPerOp is its CPU time per operation, user and system.
	CPUNsPerOp float64 `json:"cpu_ns_per_op"`
	// SpunNsPerOp is the part of CPUNsPerOp that went into polling without finding work. It is
	// absent for processes that do not tell, and if other threads on the CPU make it unknown.
	SpunNsPerOp float64 `json:"spun_ns_per_op,omitempty"`
}

// PartOf returns the part with a name, or an empty one.
func (p *Point) PartOf(name string) *Part {
	for i := range p.Parts {
		if p.Parts[i].Part == name {
			return &p.Parts[i]
		}
	}
	return &Part{}
}
