// Package examples holds sweep files and testbed files to start from, and a small trace. They are
// read as files. Those of sweeps and testbeds are also in the binary, for "dpukv sweep init NAME"
// and "dpukv testbed init KIND" on a machine that has nothing else. "dpukv plot --figure N" reads
// the sweeps of the study's figures from there.
//
//	local, netns, netns-onpath, bluefield, ssh, slurm and kubectl.yaml      testbeds: dpukv sweep --testbed FILE
//	trace.csv                                                               a trace: dpukv trace info FILE
//	all others                                                              sweeps: dpukv sweep -f FILE
//
// The trace is made by the tests of load/trace.
//
// What a figure of the study is called after, measures that figure. The tests of package placement
// read every file here and expand every sweep into its points and commands.
//
// The first sentence of a sweep file is its line in the list of "dpukv sweep init". The first
// command in its comments is the one to begin with. A command names a file as examples/FILE.
package examples
