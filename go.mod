module github.com/ariadne-netcode/ariadne

go 1.26
