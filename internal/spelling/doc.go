// Package spelling finds the intended word for a misspelled one.
package spelling
