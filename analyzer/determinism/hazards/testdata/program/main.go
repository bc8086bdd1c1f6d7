// Command program calculates a number by each hazard, and prints it with its name. The numbers are hashes of many
// results, so that a difference in the last bit of one of them shows.
//
//netcode:deterministic
package main

// quick makes the program calculate less. The linker sets it.
var quick string

// proofs is in the order of the files.
var proofs = []struct {
	name string
	run  func() uint64
}{
	{"fused_sum", fusedSum},
	{"fused_difference", fusedDifference},
	{"fused_float32", fusedFloat32},
	{"fused_compound", fusedCompound},
	{"fused_variable", fusedVariable},
	{"fused_scaled", fusedScaled},
	{"fused_field", fusedField},
	{"fused_element", fusedElement},
	{"fused_result", fusedResult},
	{"fused_argument", fusedArgument},
	{"fused_struct", fusedStruct},
	{"fused_closure", fusedClosure},
	{"fused_generic", fusedGeneric},
	{"fused_interface", fusedInterface},
	{"floatint_int32", floatToInt32},
	{"floatint_uint8", floatToUint8},
	{"floatint_uint64", floatToUint64},
	{"maporder_float", mapFloat},
	{"maporder_append", mapAppend},
	{"maporder_argmax", mapArgmax},
	{"sort_slice", sortSlice},
	{"sort_func", sortFunc},
	{"sort_interface", sortInterface},
	{"fused_complex", complexProduct},
	{"fused_complex_quotient", complexQuotient},
	{"math_cmplx", cmplxAbs},
	{"random_normal", normal},
	{"random_exponential", exponential},
	{"random_zipf", zipf},
	{"random_width", randomInt},
	{"random_global", global},
	{"width_int", intWidth},
	{"address_text", addressText},
	{"environment_order", nativeOrder},
	{"hash_maphash", processHash},
	{"maporder_syncmap", syncMap},
	{"concurrency_select", selects},
}

func main() {
	for _, p := range proofs {
		println(p.name, p.run())
	}
	mathBits()
}

// samples returns how many results go into a hash.
func samples(n int) int {
	if quick != "" {
		return n / 2
	}
	return n
}

// source is SplitMix64.
type source uint64

func (s *source) next() uint64 {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// number returns a number between 0.5 and 1.5.
func (s *source) number() float64 { return float64(s.next()>>11)/(1<<53) + 0.5 }

// digest is FNV-1a over words.
type digest uint64

func (d *digest) add(u uint64) { *d = (*d ^ digest(u)) * 1099511628211 }
