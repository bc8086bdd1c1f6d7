//go:build !js

package ws_test

import "testing"

func BenchmarkSession(b *testing.B) { over.BenchmarkSession(b) }

func BenchmarkEcho(b *testing.B) { over.BenchmarkEcho(b) }
