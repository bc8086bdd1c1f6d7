package record_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ariadne-netcode/ariadne/examples/arena/record"
)

// What a demo has measured goes into a file, and comes out of it for a program that draws.
func Example() {
	dir, err := os.MkdirTemp("", "arena")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, record.FileName)

	err = record.Write(file, &record.Demo{
		Title:   "5% loss",
		Volleys: []record.Volley{{Lag: 80, Compensated: true, Shots: 20, Confirmed: 19}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	demo, err := record.Read(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range demo.Volleys {
		fmt.Printf("%s: %d of %d hits confirmed at %.0f ms\n", demo.Title, v.Confirmed, v.Shots, v.Lag)
	}
	// Output: 5% loss: 19 of 20 hits confirmed at 80 ms
}
