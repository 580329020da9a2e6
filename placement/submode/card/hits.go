package card

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dpukv/placement/submode/step"
)

// hitsScript prefers the ip of NVIDIA's images: the distribution's may be older than "ip stats"
// (iproute2 5.19).
const hitsScript = `
for ip in ip /opt/mellanox/iproute2/sbin/ip; do
	said=$($ip -j stats show group offload subgroup cpu_hit 2>&1) && break
	test "$ip" = ip || { echo "$said" >&2; exit 1; }
done
echo "$said"
echo ` + switchMark + `
id() { cat "/sys/class/net/$1/phys_switch_id" 2>/dev/null; }
for i in /sys/class/net/*; do
	i=${i##*/} pci=$(readlink -f "/sys/class/net/$i/device")
	test "${pci##*/}" != "$1" || ! id "$i" >/dev/null || ours=$(id "$i")
done
test -n "$ours" || exit 0
for i in /sys/class/net/*; do
	test "$(id "${i##*/}")" != "$ours" || echo "${i##*/}"
done`

const switchMark = "dpukv-ports-of-the-switch"

// CPUHits returns, by port of the card's eSwitch, the packets that no offloaded flow took, so that
// they came to the Arm's cores (IFLA_OFFLOAD_XSTATS_CPU_HIT). Ports without the counter are not in
// it, and a card without any is an error. A card with two ports has two eSwitches. Only that of the
// function pci counts, where the kernel tells which ports it has. The node is the card's Arm.
func CPUHits(ctx context.Context, n step.Node, pci string) (map[string]uint64, error) {
	out, err := n.Run(ctx, step.Shell(hitsScript, pci))
	if err == nil {
		var hits map[string]uint64
		if hits, err = parseHits(out); err == nil {
			return hits, nil
		}
	}
	return nil, n.About("packets at the Arm's cores", err)
}

func parseHits(out string) (map[string]uint64, error) {
	out, switched, _ := strings.Cut(out, switchMark)
	ours := strings.Fields(switched)
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
		if l.Stats != nil && (len(ours) == 0 || slices.Contains(ours, l.Name)) {
			hits[l.Name] = l.Stats.RX.Packets
		}
	}
	if len(hits) == 0 {
		return nil, fmt.Errorf("ip -j stats: found no port with cpu_hit: %s", step.Shorten(out))
	}
	return hits, nil
}
