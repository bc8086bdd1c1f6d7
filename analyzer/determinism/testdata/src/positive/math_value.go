package positive

import "math"

var curves = map[string]func(float64) float64{
	"linear": func(x float64) float64 { return x },
	"smooth": math.Tanh, // want `math.Tanh gives different bits .*reached from ease`
}

//netcode:deterministic
func ease(curve string, x float64) float64 { return curves[curve](x) }
