// Package resulttest makes reports of hash measurements for tests.
package resulttest
