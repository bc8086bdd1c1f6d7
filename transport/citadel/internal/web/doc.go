// Package web holds what the transports that browsers speak have in common: which pages may connect.
package web
