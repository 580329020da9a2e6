// Package series measures probes of this machine one after another, and prints them as a table.
// The commands dpukv memory and dpukv dma are a series each.
package series
