// Package web holds what the transports that browsers speak have in common: which pages may connect, and how a
// client checks a server's certificate.
package web
