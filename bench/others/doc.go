// Package others finds the CPU time that other programs use beside a measurement.
package others
