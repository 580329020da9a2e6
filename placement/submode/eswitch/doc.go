// Package eswitch reads the counters of a BlueField's ports and of the rules in its eSwitch.
//
// # Ports
//
// "ip -s link" does not fit. The driver (mlx5: mlx5e_get_stats, mlx5e_rep_get_stats) returns the
// values of the previous read, and refreshes them in the background. "ethtool -S" asks the firmware
// during the call (mlx5e_ethtool_get_ethtool_stats). A port has two sets of counters:
//
//	              the uplink (p0)      a representor (pf0hpf)
//	all packets   rx_packets_phy       vport_rx_packets
//	by the CPU    rx_packets           rx_packets
//	RDMA          –                    rx_vport_rdma_unicast_packets
//
// The same holds for tx and for bytes. A representor's rx counts packets that its host sends. All
// packets include those that the eSwitch forwards alone. The packets "by the CPU" reached the
// driver on the Arm cores. The driver counts packets of the wire, before GRO joins some. The kernel
// shows the same numbers as IFLA_OFFLOAD_XSTATS_CPU_HIT. The RDMA counters are part of all packets;
// older drivers lack them.
//
// # Rules
//
// The driver reads the counters of the eSwitch's rules about once a second, in the background. So a
// reader waits for [SettleTime] after the load.
package eswitch
