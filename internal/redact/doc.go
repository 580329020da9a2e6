// Package redact hides secrets in command lines, visibly: each becomes [Mark].
//
// It looks at the names of parameters, and at user names in URLs. So it can miss a secret with an
// innocent name.
package redact
