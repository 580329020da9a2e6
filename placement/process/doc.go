// Package process says what runs where in a trial: each process with its role, its node, its
// threads and its CPUs. It starts nothing.
//
// Nodes name the CPUs that they may use, and the boot ID of their kernel. Processes on one kernel
// divide its CPUs. A process alone on its kernel takes as many CPUs as it has threads.
package process
