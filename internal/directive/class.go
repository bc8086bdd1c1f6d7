package directive

import (
	"fmt"
	"go/token"
	"strconv"
	"strings"
)

// Class is what a replicated directive says about its struct.
type Class struct {
	Number  uint32 // the class that peers know it as
	Version uint32 // of its layout; at least 1

	// Minimum is the oldest version that is still accepted, from 1 to Version. If it was not given it is Version:
	// no older layout is.
	Minimum uint32

	Pins []Pin
}

// Pin says by which hash peers know a version of a layout, so that a change of what is out in the world is noticed.
type Pin struct {
	Version  uint32
	Hash     string // 32 lower-case hexadecimal digits
	Pos, End token.Pos
}

// parseClass reads the options of a replicated directive.
func parseClass(d Directive, pos token.Pos, args string) (Class, []Problem) {
	var c Class
	var problems []Problem
	seen := map[string]word{}
	for _, w := range split(pos, args) {
		say := func(format string, a ...any) {
			problems = append(problems, Problem{Code: BadOption, Pos: w.pos, End: w.end, Message: fmt.Sprintf(format, a...)})
		}
		key, value, _ := strings.Cut(w.text, "=")
		into := map[string]*uint32{"class": &c.Number, "version": &c.Version, "minimum": &c.Minimum}[key]
		switch {
		case into == nil && key != "pin":
			problems = append(problems, unknownClassOption(w))
			continue
		case key == "pin":
			pin, ok := parsePin(value)
			if !ok {
				say("a pin is a version and the hash of its layout in 32 hexadecimal digits, such as pin=2:%032x; this is %q", 0xC1A55, value)
				continue
			}
			pin.Pos, pin.End = w.pos, w.end
			key = fmt.Sprintf("pin=%d", pin.Version)
			if _, twice := seen[key]; !twice {
				c.Pins = append(c.Pins, pin)
			}
		}
		if _, twice := seen[key]; twice {
			problems = append(problems, givenTwice(w, key))
			continue
		}
		seen[key] = w
		if into == nil {
			continue
		}
		n, err := strconv.ParseUint(value, 0, 32)
		switch {
		case err != nil:
			say("option %s is a number of at most 32 bits, such as %[1]s=1; this is %q", key, value)
		case n == 0 && key != "class":
			say("%ss begin at 1", key)
		default:
			*into = uint32(n)
		}
	}
	for _, key := range []string{"class", "version"} {
		if _, ok := seen[key]; !ok {
			problems = append(problems, Problem{Code: MissingOption, Pos: d.Pos, End: d.End,
				Message: fmt.Sprintf("//netcode:replicated needs the option %s: write //netcode:replicated class=<number> version=<number>", key)})
		}
	}
	if w, ok := seen["minimum"]; !ok {
		c.Minimum = c.Version
	} else if c.Minimum > c.Version && c.Version > 0 {
		problems = append(problems, Problem{Code: BadOption, Pos: w.pos, End: w.end,
			Message: fmt.Sprintf("the minimum, %d, is above the version, %d: no peer would be accepted", c.Minimum, c.Version)})
	}
	for _, pin := range c.Pins {
		if pin.Version > c.Version && c.Version > 0 {
			problems = append(problems, Problem{Code: BadOption, Pos: pin.Pos, End: pin.End,
				Message: fmt.Sprintf("version %d is pinned, which is above the version, %d", pin.Version, c.Version)})
		}
	}
	return c, problems
}

// parsePin reads a version, a colon and a hash.
func parsePin(s string) (Pin, bool) {
	version, hash, _ := strings.Cut(s, ":")
	n, err := strconv.ParseUint(version, 10, 32)
	if err != nil || n == 0 || len(hash) != 32 || strings.Trim(hash, "0123456789abcdef") != "" {
		return Pin{}, false
	}
	return Pin{Version: uint32(n), Hash: hash}, true
}
