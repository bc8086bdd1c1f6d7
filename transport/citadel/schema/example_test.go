package schema_test

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

func Example() {
	player := schema.Layout{Class: 1, Version: 1, Properties: []schema.Property{
		{Name: "health", Type: schema.Int, Bounds: schema.IntRange(0, 100)},
		{Name: "name", Type: schema.Bytes, Bounds: schema.MaxLen(32), Condition: schema.InitialOnly},
		{Name: "alive", Type: schema.Bool, Codec: schema.CodecBool},
	}}
	if err := player.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(player.Identity())
	// Output:
	// v1/c63fa1a1a0e07897a99417c6dd216330 <nil>
}

// The second version of a class has a property more. States of the first are still understood.
func ExampleHistory() {
	health := schema.Property{Name: "health", Type: schema.Int, Bounds: schema.IntRange(0, 100)}
	armour := schema.Property{Name: "armour", Type: schema.Int, Bounds: schema.IntRange(0, 50)}
	v1 := schema.Layout{Version: 1, Properties: []schema.Property{health}}
	v2 := schema.Layout{Version: 2, Properties: []schema.Property{health, armour}}
	history, err := schema.NewHistory(1, v2, v1)
	if err != nil {
		fmt.Println(err)
		return
	}

	id, err := v1.Identity()
	if err != nil {
		fmt.Println(err)
		return
	}
	layout, err := history.Lookup(id)
	fmt.Println(len(layout.Properties), err)

	id.Version = 0
	_, err = history.Lookup(id)
	fmt.Println(errors.Is(err, schema.ErrTooOld), err)

	// Properties never change their place.
	v3 := schema.Layout{Version: 3, Properties: []schema.Property{armour, health}}
	fmt.Println(errors.Is(v3.Extends(v2), schema.ErrNotPrefix))
	// Output:
	// 1 <nil>
	// true schema: no layout has this identity: version below the minimum
	// true
}

func ExampleLayout_Validate() {
	err := schema.Layout{Properties: []schema.Property{
		{Name: "health", Type: schema.Int, Bounds: schema.IntRange(100, 0)},
	}}.Validate()
	fmt.Println(err)
	fmt.Println(errors.Is(err, schema.ErrInvalidLayout))
	// Output:
	// schema: property 0 "health": int range 100 to 0: admits nothing
	// true
}
