// Package vectors feeds conformance data to tests.
//
// The data are JSON files in folders called families ("session", "citadel", "citadel-runtime"). They are looked for in
// several roots, which all have the same layout, <root>/<family>/<file>, or <root>/<family>/<file>.gz for a file that is
// packed:
//
//   - the main root: ../shared/vectors beside the module when it exists, else the trimmed copy that the
//     module carries in testdata/vectors. With CI=true the trimmed copy is not enough and its use is fatal;
//   - every folder listed in the environment variable ARIADNE_VECTORS (separated as in PATH). A relative one
//     is relative to the module root. Such a folder must exist, but it need not hold every file.
//
// The main root must hold the file that a test asks for, with at least one element in it: a conformance test
// that finds nothing to check fails.
//
// Decoding is strict: a JSON field that the test's type does not know, a malformed [Hex], [U64] or [I64], or
// anything after the end of the document fails the test and names the element. Nothing is skipped.
//
//	type frameCase struct {
//		Name  string      `json:"name"`
//		Hex   vectors.Hex `json:"hex"`
//		Valid bool        `json:"valid"`
//	}
//
//	func TestConformanceFrames(t *testing.T) {
//		vectors.Each(t, "session", "protocol_frames.json", func(t *testing.T, c frameCase) { ... })
//	}
//
// The go command caches test results without looking at files outside the module, so run tests with -count=1
// after changing a root.
package vectors
