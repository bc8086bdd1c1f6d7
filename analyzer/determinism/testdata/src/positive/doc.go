// Package positive holds one snippet per file. In each, something is wrong where a comment says so.
package positive
