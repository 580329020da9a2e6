// Package spelling finds the word that was meant where another was written.
package spelling
