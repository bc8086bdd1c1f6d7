package missed

import "time"

type hooks struct{ onTick any }

func newHooks() *hooks {
	h := &hooks{}
	h.onTick = func() int64 { return time.Now().Unix() }
	return h
}

//netcode:deterministic
func (h *hooks) tick() int64 { return h.onTick.(func() int64)() }
