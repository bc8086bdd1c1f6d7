module github.com/ariadne-netcode/ariadne/bench

go 1.26.0

require (
	github.com/ariadne-netcode/ariadne v0.0.0
	github.com/icza/bitio v1.1.0
)

replace github.com/ariadne-netcode/ariadne => ../
