// Package transcript reads transcripts: outputs of commands as public documents show them.
//
// A transcript begins with a header, then comes an empty line, then the output:
//
//	# command: the command that printed it
//	# release: of DOCA, or "not told"
//	# source: the document, and its version and address as far as they were seen
//	# kind: "from documentation", or "from a card" that this project had
//	# read: the day on which the document was read
//	# note: the card, and what was left out
package transcript
