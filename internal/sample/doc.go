// Package sample estimates the median of repeated measurements, and its interval. It uses only the
// order of the values, and assumes nothing about their distribution.
package sample
