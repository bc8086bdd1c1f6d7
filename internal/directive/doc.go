// Package directive reads the comments by which source code talks to Ariadne's tools. The generator and the
// analyzers share it, so that they never disagree about what is marked.
//
// There are four:
//
//	//netcode:command [id=0x...] [predicted] [name=CLR.Name+Nested]
//	//netcode:replicated class=N version=N [minimum=N] [pin=N:hash ...]
//	//netcode:deterministic
//	//netcode:nondeterministic reason
//
// The first marks a type as a command and stands in the comment directly above its declaration; inside a group
// `type ( ... )`, above the type itself. The second stands in the same place and marks a struct as a class
// whose objects are replicated. The third marks a function, a method of an interface, a type or, above the package
// clause, a package as simulation code. The fourth excuses one line: the one that it stands on or, if it stands
// alone, the one below its comment. Whatever follows a second // in a directive is a remark.
//
// [Collect] takes a parsed file, which may be a test file or excluded by build constraints, and returns what is
// marked in it, together with a [Problem] for everything that was probably meant as a directive and is none: a
// misspelt word, a space after the slashes, a place where a directive has no effect. It is deliberately
// reluctant to see such mistakes in prose.
//
// A type's id follows from its directive and its full name: [FullName], [Options.Resolve].
package directive
