// Package boundedyaml reads YAML files that others wrote, within bounds.
//
// The library takes far more memory and time than a file's size suggests: it names each value by
// its whole path, so 64 KB of nested lists take 1.6 GiB, and its scanner copies what it has read
// at every blank line of a block of text. [Tokens] refuses such a file before either happens.
package boundedyaml
