package survey

import (
	"context"
	"time"
)

// Report has the facts of a node.
type Report struct {
	Interfaces []Interface `json:"interfaces"`
	RDMA       []Device    `json:"rdma"`
	BlueField  *BlueField  `json:"bluefield,omitempty"`
	Tools      []Tool      `json:"tools"`
}

// toolPatience bounds the run of all tools together: mlxconfig takes a second.
const toolPatience = 8 * time.Second

// Read reads the facts of this machine, within the network namespace of the process.
func Read(ctx context.Context) Report {
	ctx, cancel := context.WithTimeout(ctx, toolPatience)
	defer cancel()
	r := Report{Interfaces: interfaces(), RDMA: rdmaDevices("/sys"), Tools: tools(ctx)}
	r.BlueField = blueField(ctx, "/sys", r.Interfaces)
	return r
}
