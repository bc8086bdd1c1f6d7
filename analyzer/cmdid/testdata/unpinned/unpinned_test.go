package unpinned_test

//netcode:command
type Only struct{} // want `DNET0001: the id of Only`
