package zero

//netcode:command id=0x0 predicted // want `DNET0002: id zero`
type Move struct{}

//netcode:command name=Maze.Jump id=0x0000_0000 // want `DNET0002: id zero`
type Jump struct{}

// Two zeros do not collide on top of that.
