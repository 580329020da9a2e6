// Package strictyaml reads YAML files whose keys are all known beforehand. It goes on after a
// mistake, so one reading shows all mistakes of a file, each with its line and column.
//
// A [Codec] turns the text of one value into the value and back. Equal values have one text: texts
// can be compared, filtered by and made into names.
package strictyaml
