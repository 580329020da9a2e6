// Package prose checks the form of the documentation: README.md, CONTRIBUTING.md and the pages
// below docs. It also checks the messages of the product.
//
//	words      README.md has at most 900 words, docs/METHOD.md 1,500, as wc -w counts
//	sentences  a sentence has at most 40 words; write 25
//	columns    a line has at most 100 columns
//	links      a relative link leads to a file that exists, and to a heading of it
//	messages   no string of the product has a banned word, or another form than "found, allowed"
//
// # What counts
//
// A word has a letter or a digit. Inline code is one word. The target of a link counts nowhere. The
// words of a page with a limit are those of its text, its tables and its code.
//
// A sentence ends with a full stop, a question mark or an exclamation mark before white space, and
// at the end of a paragraph, a list item or a heading. A semicolon or a colon does not end it. Code
// blocks and tables have no sentences.
//
// These have no limit of columns:
//
//   - tables
//   - blocks of code without a language, and indented blocks: they show what a program prints
//   - URLs and the targets of links: a line counts without them
//
// The anchor of a heading is the one that GitHub makes.
//
// Messages are all strings of Go files but tests. Tags of fields are none: they name fields for
// machines. A few folders are left out: see noMessages.
package prose
