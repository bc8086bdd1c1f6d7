// Package hazards proves that the hazards which the determinism analyzer reports exist, and that its fixes remove them.
//
// The program in testdata calculates a number by each hazard of arithmetic and of order. The test builds it for several
// targets, runs it there, and requires the numbers to differ as they should. Then it lets the analyzer's driver mend
// the program with -fix, replaces by hand what has no automatic fix, and requires the numbers to be equal everywhere.
// The same program runs all functions of package math, which shows that the analyzer's list of those that are safe
// is right and complete.
//
// Foreign targets run under node and qemu-user. Those that cannot run are skipped, unless CI is set in the environment.
package hazards
