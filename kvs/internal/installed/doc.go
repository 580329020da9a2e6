// Package installed starts the server of a store that is not dpukv's own: the program that is
// installed on this machine.
//
// The program listens on the one address that it is given, keeps to the CPUs that it is given, and
// is used once it answers there, which is proven by the process id that it tells: another server at
// that address is not taken for it. It ends with the process that started it: Close asks it to
// (SIGTERM) and then insists (SIGKILL), and if the starter is killed, the kernel does the latter
// (PR_SET_PDEATHSIG).
//
// [Attach] makes a server of one that runs already, which is left running.
package installed
