// Package negative holds one snippet per file. All of them are deterministic.
package negative
