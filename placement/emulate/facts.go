package emulate

import "dpukv/placement/emulate/keeper"

// Facts describe the lab that was made, as opposed to the spec.
type Facts struct {
	UserNamespace bool `json:"user_namespace"` // made without root's privileges
	// that limits CPU time: "v1", "v2"; "": no machine is limited
	Cgroup   string         `json:"cgroup,omitempty"`
	MTU      int            `json:"mtu"`
	Offloads string         `json:"offloads"` // On, Off
	Machines []MachineFacts `json:"machines"`
}

// MachineFacts are those of one machine.
type MachineFacts struct {
	Name       string   `json:"name"`
	Address    string   `json:"address,omitempty"` // "": an on-path DPU
	Interfaces []string `json:"interfaces"`
	Profile    string   `json:"profile"` // NoProfile: this machine as it is
	// Cores is the number of the profile's cores whose CPU time the machine has now. Each has
	// CoreStrength of a core of this machine. 0: no profile.
	Cores        int     `json:"cores,omitempty"`
	CoreStrength float64 `json:"core_strength,omitempty"`
	// QuotaCPUs is the CPU time of all the machine's processes together, in CPUs; 0: no limit.
	QuotaCPUs float64 `json:"quota_cpus,omitempty"`
	PeriodNs  int64   `json:"period_ns,omitempty"` // in which they get it
	LinkGbps  float64 `json:"link_gbps,omitempty"` // the rate that is enforced; 0: none
	// Notes say which properties of the profile do not hold here, and why.
	Notes []string `json:"notes,omitempty"`
}

// Counters are an interface's counts since it was made, seen from its machine.
type Counters = keeper.Counters
