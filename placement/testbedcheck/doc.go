// Package testbedcheck visits every node of a testbed and reports its facts: "dpukv testbed check".
// For each placement and store it reports whether it can run, or why not.
package testbedcheck
