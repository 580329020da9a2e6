// Package emulate makes a testbed of hosts and DPUs out of network namespaces on this machine, and takes it away
// again whatever happens.
package emulate
