//go:build !js

package main

// usual is the transport that is used unless another is asked for.
const usual = overQUIC

// hosting returns the subcommands that need sockets to listen on.
func hosting() []subcommand {
	return []subcommand{
		{"demo", "a server and some bots over a bad network", runDemo},
		{"serve", "a server that others can join", runServe},
	}
}
