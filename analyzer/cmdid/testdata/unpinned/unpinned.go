package unpinned

//netcode:command
type Move struct{ Dir uint8 } // want `DNET0001: the id of Move follows from its name`

// Jump is documented.
//
//netcode:command predicted // with a remark
type Jump struct{} // want `DNET0001: the id of Jump`

type (
	//netcode:command predicted name=Maze.Commands+Drop
	Drop struct{ Gold uint16 } // want `DNET0001: the id of Drop`

	//netcode:command id=0x2A
	Pinned struct{}
)
