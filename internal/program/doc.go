// Package program runs an installed program as a child process.
//
// The program keeps to the given CPUs. It ends with the process that started it: Stop asks it to
// end (SIGTERM) and then kills it (SIGKILL). If the starter is killed, the kernel kills the program
// (PR_SET_PDEATHSIG).
package program
