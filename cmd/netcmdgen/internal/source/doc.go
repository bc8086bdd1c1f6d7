// Package source finds the commands of a package in its source, whatever state the rest of it is in, and looks up
// their types.
//
// [Scan] parses every file of a folder, so it sees commands of test files and behind build constraints too.
// [Find] groups them: commands that are built under the same circumstances go into one generated file. For each
// group it loads the package under such circumstances, with earlier output of the generator blanked out. What it
// finds depends on hand-written code only.
package source
