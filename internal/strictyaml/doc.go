// Package strictyaml reads YAML files of which every key is known beforehand. It goes on after a
// mistake, so one reading shows all mistakes of a file, each with its line and column.
//
// A [Codec] turns the text of one value into the value and back. Equal values have one text, so
// texts can be compared, filtered by and made into names.
package strictyaml
