package negative

type tag struct{ owner uint32 }

//netcode:deterministic
func find(tags map[uint32]tag, id uint32) *tag {
	for k, t := range tags {
		if k == id {
			return &t
		}
	}
	return nil
}
