// Package emit writes the Go code of one generated file: the codecs of its commands, their registration, their
// digest, and declarations that stop compiling when what they were made from has changed.
//
// The code depends on what it is given and on nothing else, so the same commands give the same bytes.
package emit
