package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "cabi is a library: build it with -buildmode=c-shared")
	os.Exit(2)
}
