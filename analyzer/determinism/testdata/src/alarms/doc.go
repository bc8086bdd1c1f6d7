// Package alarms holds one snippet per file. All of them are deterministic, and the analyzer thinks otherwise.
package alarms
