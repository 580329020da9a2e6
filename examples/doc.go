// Package examples holds sweep files and testbed files to start from. They are read as files, and
// the testbeds are in the binary besides, for "dpukv testbed init KIND" on a machine that has
// nothing else. So are the sweeps of the study's figures, for "dpukv plot --figure N".
//
//	local.yaml, netns.yaml, netns-onpath.yaml, bluefield.yaml, slurm.yaml   testbeds: dpukv sweep --testbed FILE
//	all others                                                              sweeps: dpukv sweep -f FILE
//
// What a figure of the study is called after, measures that figure. The tests of package placement
// read every file here and expand every sweep into its points and commands.
package examples
