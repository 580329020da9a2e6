// Package installed starts the server of a foreign store: the program that is installed on this
// machine.
//
// The program listens only on the given address and keeps to the given CPUs. It is in use once it
// answers there with its own process ID; so another server at that address is not mistaken for it.
// It ends with the process that started it: Close asks it to end (SIGTERM) and then kills it
// (SIGKILL). If the starter is killed, the kernel kills the program (PR_SET_PDEATHSIG).
//
// [Attach] returns a [Server] for a program that runs already. Close leaves it running.
package installed
