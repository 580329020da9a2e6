// Package provider opens a device by the name that users write:
//
//	shm                memory that processes of one machine share
//	softroce:ADDRESS   a software RoCE v2 device on an IPv4 address of this machine
//	ibverbs:NAME       an RDMA NIC, as ibv_devices lists it; ibverbs alone is the only one there is. Its first port, or
//	                   another: ibverbs:NAME/2
//
// A software device with nasty=MODEL, as in shm:nasty=pcie, is an instrument for tests:
// [dpukv/verbs/nasty].
//
// Open opens the named provider or returns an error. No provider replaces another.
//
// This is the only package that imports all providers, so stores and commands need none of them.
// A static build has no ibverbs: opening such a device returns an error that names the other build.
package provider
