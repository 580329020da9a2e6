// Package probes is the table of all kinds of probes. A kind is one line here.
package probes
