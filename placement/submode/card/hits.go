package card

import (
	"context"
	"encoding/json"
	"fmt"

	"dpukv/placement/submode/step"
)

// hitsScript prefers the ip of NVIDIA's images: the distribution's may be older than "ip stats"
// (iproute2 5.19).
const hitsScript = `
for ip in ip /opt/mellanox/iproute2/sbin/ip; do
	said=$($ip -j stats show group offload subgroup cpu_hit 2>&1) && echo "$said" && exit
done
echo "$said" >&2
exit 1`

// CPUHits returns, by port of the card's eSwitch, the packets that no offloaded flow took, so that
// they came to the Arm's cores (IFLA_OFFLOAD_XSTATS_CPU_HIT). Ports without the counter are not in
// it, and a card without any is an error. The node is the card's Arm.
func CPUHits(ctx context.Context, n step.Node) (map[string]uint64, error) {
	out, err := n.Run(ctx, step.Shell(hitsScript))
	if err != nil {
		return nil, fmt.Errorf("node %s: packets at the Arm's cores: %w", n.Name, err)
	}
	hits, err := parseHits(out)
	if err != nil {
		return nil, fmt.Errorf("node %s: packets at the Arm's cores: %w", n.Name, err)
	}
	return hits, nil
}

func parseHits(out string) (map[string]uint64, error) {
	var list []struct {
		Name  string `json:"ifname"`
		Stats *struct {
			RX struct{ Packets uint64 }
		} `json:"stats64"`
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return nil, fmt.Errorf("ip -j stats: %w", err)
	}
	hits := map[string]uint64{}
	for _, l := range list {
		if l.Stats != nil {
			hits[l.Name] = l.Stats.RX.Packets
		}
	}
	if len(hits) == 0 {
		return nil, fmt.Errorf("ip -j stats: found no port with cpu_hit: %s", step.Shorten(out))
	}
	return hits, nil
}
