// Package strictyaml reads YAML files whose keys are all known beforehand. It goes on after a
// mistake, so one reading shows all mistakes of a file, each with its line and column.
//
// The files may be of unknown authors, and the YAML library takes far more memory and time than a
// file's size suggests. It names each value by its whole path, so 64 KB of nested lists take
// 1.6 GiB. Its scanner copies everything read so far at each blank line of a block of text.
// [Tokens] refuses such a file before either happens.
package strictyaml
