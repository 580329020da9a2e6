// Package provider opens a device by the name that users write:
//
//	shm                memory that processes of one machine share
//	softroce:ADDRESS   a software RoCE v2 device on an IPv4 address of this machine
//	ibverbs:NAME       an RDMA NIC, as ibv_devices lists it; ibverbs alone is the only one there is. Its first port, or
//	                   another: ibverbs:NAME/2
//
// What was named is opened, or it is an error: no provider stands in for another.
//
// It is the one package that imports all providers, so that stores and commands need none of them;
// without the build tag ibverbs, opening an ibverbs device says what to build.
package provider
