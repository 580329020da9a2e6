package emulate

import "dpukv/placement/emulate/keeper"

// Facts are what was made, as opposed to what was asked for.
type Facts struct {
	UserNamespace bool           `json:"user_namespace"`   // made without root's privileges
	Cgroup        string         `json:"cgroup,omitempty"` // that limits CPU time: "v1", "v2"; "": no machine is limited
	MTU           int            `json:"mtu"`
	Offloads      string         `json:"offloads"` // On, Off
	Machines      []MachineFacts `json:"machines"`
}

// MachineFacts are those of one machine.
type MachineFacts struct {
	Name       string   `json:"name"`
	Address    string   `json:"address,omitempty"` // "": an on-path DPU
	Interfaces []string `json:"interfaces"`
	Profile    string   `json:"profile"` // NoProfile: this machine as it is
	// Cores of the profile whose time the machine has now, each with CoreStrength of a core of this one; 0: no profile.
	Cores        int     `json:"cores,omitempty"`
	CoreStrength float64 `json:"core_strength,omitempty"`
	// QuotaCPUs is the CPU time that the machine's processes get together, in CPUs; 0: no limit.
	QuotaCPUs float64 `json:"quota_cpus,omitempty"`
	PeriodNs  int64   `json:"period_ns,omitempty"` // in which they get it
	LinkGbps  float64 `json:"link_gbps,omitempty"` // the rate that is enforced; 0: none
	// Notes say what of the profile is not so here, and why.
	Notes []string `json:"notes,omitempty"`
}

// Counters are those of an interface since it was made, seen from its machine.
type Counters = keeper.Counters
