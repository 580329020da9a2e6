// Package testbedcheck visits every node of a testbed and reports what it has: "dpukv testbed
// check". For each placement and store it says whether they can run, or why not.
package testbedcheck
