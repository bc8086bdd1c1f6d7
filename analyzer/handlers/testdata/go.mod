module example.com/game

go 1.26.0

require github.com/ariadne-netcode/ariadne v0.0.0

replace github.com/ariadne-netcode/ariadne => ../../..
