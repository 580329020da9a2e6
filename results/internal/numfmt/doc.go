// Package numfmt writes numbers the way tables, figures and labels show them.
package numfmt
