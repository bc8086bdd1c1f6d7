package authority

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// What registering refuses.
var (
	ErrRegistered = errors.New("authority: class is registered already")
	ErrMinimum    = errors.New("authority: minimum version is above the current one")
	ErrCodec      = errors.New("authority: versions of a class have different codecs for a field")
)

// registered is a class with the versions that proposals may be of.
type registered struct {
	class    *replica.Class
	history  *schema.History
	versions []*replica.Class // in the order of the history, the current one first
	compat   bool
}

// Register makes a class known, of which only the current version is accepted.
func (s *Server) Register(c *replica.Class) error {
	return s.register(&registered{class: c, versions: []*replica.Class{c}})
}

// RegisterVersions makes a class known together with older versions of it, which clients may still propose with if
// they are not below the minimum. Versions evolve by appending fields: the older ones must be prefixes of the
// current one, with the same codecs, each must have a lower version and come once, and the minimum must not be above
// any of them. It returns [ErrRegistered], [ErrMinimum], [ErrCodec] or an error of [schema.NewHistory].
func (s *Server) RegisterVersions(c *replica.Class, minimum uint32, older ...*replica.Class) error {
	if minimum > c.Layout().Version {
		return fmt.Errorf("%w: %d, and the current one is %d", ErrMinimum, minimum, c.Layout().Version)
	}
	layouts := make([]schema.Layout, len(older))
	for i, o := range older {
		layouts[i] = o.Layout()
	}
	history, err := schema.NewHistory(minimum, c.Layout(), layouts...)
	if err != nil {
		return err
	}
	for _, o := range older {
		for i := range o.Len() {
			if !o.Schema().Field(i).Same(c.Schema().Field(i)) {
				return fmt.Errorf("%w: field %d of version %d", ErrCodec, i, o.Identity().Version)
			}
		}
	}
	r := &registered{class: c, history: history, versions: []*replica.Class{c}, compat: true}
	for i := 1; i < history.Len(); i++ {
		for _, o := range older {
			if o.Identity() == history.Identity(i) {
				r.versions = append(r.versions, o)
				break
			}
		}
	}
	return s.register(r)
}

func (s *Server) register(r *registered) error {
	if s.classes[r.class.ID()] != nil {
		return ErrRegistered
	}
	s.classes[r.class.ID()] = r
	return nil
}

// version returns the class that a full bunch of a version is read with, or nil.
func (r *registered) version(v uint32) *replica.Class {
	for _, c := range r.versions {
		if c.Identity().Version == v {
			return c
		}
	}
	return nil
}
