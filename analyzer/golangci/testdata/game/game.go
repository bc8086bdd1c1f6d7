// Package game has something to find for each analyzer.
package game

import "github.com/ariadne-netcode/ariadne/session"

//netcode:command
type Move struct{ Dir uint8 }

//netcode:command id=0x0
type Jump struct{}

//netcode:deterministic
func settle(a, b, c float32) float32 { return a*b + c }

type queue [][]byte

func (q *queue) Send(_ session.ConnID, frame []byte) { *q = append(*q, frame) }
