// Package cardreport asks a node everything that decides whether dpukv can measure with its
// BlueField, and keeps the commands with their outputs.
//
//	probes (a table) ──▶ Collect, on the node ──▶ Report: command, exit status, output, of each probe
//	                                                │
//	                       Parse ──▶ Facts ──▶ Examine ──▶ findings, each with its remedy
//	                       Redact ──▶ Write ──▶ card-report-….tar.gz
//
// One call on a node collects all: "dpukv testbed check --card" and "dpukv testbed card-report" do
// it by the agent. No probe changes anything. A probe that needs root and has none is not run, and
// the report says so. A probe that is missing its program keeps the shell's error.
//
// # An archive
//
//	README                what it is, of which version, and what was replaced in it
//	NODE/probes.jsonl     a line for each probe: name, command, exit status, its files
//	NODE/NAME.out         its stdout
//	NODE/NAME.err         its stderr, unless that is empty
//
// [Redact] replaces hardware addresses, GUIDs, serial numbers, host names and public IP addresses.
// Each gets a number, so equal ones stay equal, between nodes, too. Private IP addresses stay: they
// tell which network is which.
package cardreport
