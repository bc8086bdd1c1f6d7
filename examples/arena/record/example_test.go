package record_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ariadne-netcode/ariadne/examples/arena/record"
)

// What a demo has measured goes through a file to whoever draws it.
func Example() {
	dir, err := os.MkdirTemp("", "arena")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, record.FileName)
	err = record.Write(file, &record.Demo{Title: "80ms lag", Volleys: []record.Volley{{Lag: 80, Shots: 40, Confirmed: 39}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := record.Read(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %d of %d\n", d.Title, d.Volleys[0].Confirmed, d.Volleys[0].Shots)

	// Output: 80ms lag: 39 of 40
}
