// Package field has tables of the fields of a struct: a row tells a field's names, its texts and
// its range once. Sweep files, flags, point IDs, dimensions of results, the check of used values
// and the reference pages all work by rows. A [Codec] turns the text of one value into the value
// and back.
package field
