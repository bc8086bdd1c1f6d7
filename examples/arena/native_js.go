package main

// usual is the transport that is used unless another is asked for. There is no QUIC in a browser.
const usual = overWS

// hosting returns the subcommands that need sockets to listen on, which a browser does not have.
func hosting() []subcommand { return nil }
