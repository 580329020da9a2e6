// Package testbeds has the testbed files that tests of several packages share.
package testbeds

// FourMachines is two emulated hosts with a DPU each, and a placement of their own.
const FourMachines = `nodes:
  hostA: {via: netns}
  dpuA: {kind: dpu, of: hostA, via: netns, profile: bf2}
  hostB: {via: netns}
  dpuB: {kind: dpu, of: hostB, via: netns, generation: bf3}
client_side: [dpuA, hostA]
server_side: [dpuB, hostB]
placements:
  HOSTS-SD: {clients: [hostA, hostB], server: dpuB}
`

// RealMachines is two hosts behind SSH, one with a DPU.
const RealMachines = `# two hosts with a DPU each
nodes:
  hostA: {kind: host, via: ssh, address: a.lab}
  dpuA: {kind: dpu, of: hostA, generation: bf2, via: ssh, address: 10.0.0.2, rdma: {device: mlx5_0, gid_index: 3, mtu: 1024}}
  hostB:
    address: b.lab
    via: ssh
    cpus: 0-3,8
client_side: [hostA, dpuA]
server_side: hostB
`

// TwoCards is two hosts here, and a card in each that ssh reaches.
const TwoCards = `
nodes:
  hostA: {via: local}
  hostB: {via: local}
  dpuA: {kind: dpu, of: hostA, generation: bf3, via: ssh, address: 10.10.10.2}
  dpuB: {kind: dpu, of: hostB, generation: bf3, via: ssh, address: 10.10.10.4}
client_side: hostA
server_side: hostB
`
