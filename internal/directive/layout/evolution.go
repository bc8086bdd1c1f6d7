package layout

import (
	"errors"
	"fmt"
	"go/token"

	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// evolution checks that every version from the minimum on is what the one before it became by appending fields.
func (r *reader) evolution() {
	o := r.class.Options
	if o.Minimum == 0 || o.Minimum > o.Version {
		return // the directive is wrong, and has been reported
	}
	if o.Version-o.Minimum >= MaxVersions {
		r.say(token.NoPos, "versions %d to %d are accepted, and a class can have %d layouts at once: raise the minimum", o.Minimum, o.Version, MaxVersions)
		return
	}
	adds := map[uint32]bool{}
	last := &r.class.Fields[0]
	for i := range r.class.Fields {
		f := &r.class.Fields[i]
		adds[f.Since] = true
		switch {
		case f.Since > o.Version:
			r.say(f.Var.Pos(), "%s has since=%d in its tag, and the class is at version %d: raise the version in the directive", f.Var.Name(), f.Since, o.Version)
		case f.Since < last.Since:
			r.say(f.Var.Pos(), "%s is there since version %d and comes behind %s, which came with version %d: layouts grow at their end, so move it up, or say since=%d if it is new", f.Var.Name(), f.Since, last.Var.Name(), last.Since, o.Version)
		default:
			last = f
		}
	}
	for v := o.Minimum + 1; v <= o.Version && v != 0; v++ {
		if !adds[v] {
			r.say(token.NoPos, "version %d adds no field to version %d, which is still accepted: tag its new fields since=%[1]d, or raise the minimum to %[1]d if the layout has changed in another way", v, v-1)
		}
	}
	if v := r.class.Fields[0].Since; v > o.Minimum && len(r.problems) == 0 {
		r.say(r.class.Fields[0].Var.Pos(), "%s, the first field, came with version %d, so version %d, which is still accepted, had no field: raise the minimum", r.class.Fields[0].Var.Name(), v, o.Minimum)
	}
}

// pins compares the layouts that are written down in the directive with those that there are.
func (r *reader) pins(name string) {
	for _, pin := range r.class.Options.Pins {
		say := func(format string, args ...any) {
			r.problems = append(r.problems, Problem{Pos: pin.Pos, Message: fmt.Sprintf(format, args...), Option: true})
		}
		if pin.Version < r.class.Options.Minimum {
			say("version %d of %s is pinned, but not accepted any more: remove the pin", pin.Version, name)
			continue
		}
		hash, err := r.class.Layout(pin.Version).Hash()
		if err != nil {
			say("%v", err)
			continue
		}
		if hash.String() != pin.Hash {
			say("version %d of %s has the hash %v now and not %s, by which peers know it: undo the change of its fields, and make it in a new version", pin.Version, name, hash, pin.Hash)
		}
	}
}

func asPropertyError(err error) (*schema.PropertyError, bool) {
	return errors.AsType[*schema.PropertyError](err)
}
