// Trim makes the copy of the conformance data that the module carries in testdata/vectors.
//
//	go run ./internal/vectors/trim
//
// run from the module root reads ../shared/vectors and rewrites testdata/vectors. The full set is far too
// large for the repository; the copy is what a clone without it tests against. Which files are copied, and how
// large each may become, is the table in this program.
//
// A file is either one array or an object that holds arrays. Elements are grouped by what they are about (see
// group) and taken in rounds: the smallest of every group first, then the second smallest of every group, and
// so on while the budget lasts, so that a small copy has variety before it has volume. Order and bytes of what
// is kept do not change. Arrays of an object whose elements are not identified by a string are kept whole:
// other elements refer to them by position. The result depends on the data and the table only.
package main
