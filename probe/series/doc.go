// Package series measures probes of this machine one after another, and prints them as a table.
// The commands dpukv probe memory and dpukv probe dma are a series each.
package series
