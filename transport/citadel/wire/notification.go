package wire

import "encoding/json"

// Notification is the body of a [KindNotification]: a JSON object. The protocol's documents say that a
// notification has an id, by which receivers recognise what they have had before, but neither name its members nor
// say what they hold. So the members are looked up by name, and an id is read by [ParseID].
type Notification struct {
	JSON json.RawMessage // one object
}

// AppendNotification appends n.JSON as it is. What [ParseNotification] would refuse is an error, and dst is then
// returned as it was.
func AppendNotification(dst []byte, n Notification) ([]byte, error) {
	_, err := ParseNotification(n.JSON)
	return checked(dst, append(dst, n.JSON...), err)
}

// ParseNotification reads a whole body, and borrows it. Errors are [ErrJSON], and [ErrMember] for JSON that is not
// an object.
func ParseNotification(b []byte) (Notification, error) {
	if _, err := parseObject(b); err != nil {
		return Notification{}, err
	}
	return Notification{JSON: b}, nil
}

// Member returns the JSON of the object's member of that name, spelt exactly so, and false if there is none. It is
// a view into n.JSON.
func (n Notification) Member(name string) (json.RawMessage, bool) {
	members, err := parseObject(n.JSON)
	if err != nil {
		return nil, false
	}
	for _, m := range members {
		if string(m.name) == name {
			return m.value, true
		}
	}
	return nil, false
}
