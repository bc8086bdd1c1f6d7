package positive

type meters float64

//netcode:deterministic
func height(x meters) meters {
	return (x*3+2)*x + 1 // want `x \* 3 may be fused` `\(x \* 3 \+ 2\) \* x may be fused .* meters\(`
}
