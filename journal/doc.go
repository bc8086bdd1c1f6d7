// Package journal records what became of every command of a session.
//
// A [Record] holds a command as it was submitted, as it was decided, and the decision. Every change of a
// journal (a record added, replaced or cancelled, or all of them cleared) takes the next [netcode.Revision],
// and a changed record carries the revision of its last change. A peer that remembers a revision can therefore
// ask for what has changed since, and is told when the journal can no longer say.
//
// [Memory] keeps its records in memory. It answers four questions, each at the cost of the answer and not of
// the journal:
//
//   - what became of this command: [Memory.Lookup];
//   - which accepted commands does a snapshot at this cursor not contain: [Memory.AppendAcceptedAfter];
//   - what has changed since this revision: [Memory.AppendChangesAfter];
//   - what was one author told after this sequence: [Memory.AppendOutcomesAfter].
//
// # Retention
//
// A journal would grow for as long as its session runs. Two things bound it, and both leave a trace by which
// readers can tell what they are missing:
//
//   - [Memory.Compact] drops old records that a snapshot covers and raises the floor, below which
//     AppendChangesAfter reports that the range is unavailable.
//   - An author keeps at most [Config.RefusedPerAuthor] records of commands that were never accepted. One more
//     drops that author's oldest and raises the floor of that author alone ([Memory.AuthorFloor]), so nobody
//     can push the others back to snapshots by sending rubbish.
//
// A dropped key stays known ([Memory.Known]): the command must not be admitted a second time.
//
// # Borrowing
//
// A journal copies the payloads it is given. The payloads of the records it returns are its own memory, valid
// until the next call that changes the journal, and must not be written to.
//
// The methods that change a journal return an error because other journals than Memory can fail to keep what
// they are given. Memory itself only refuses to append what it has.
//
// Nothing here is safe for concurrent use, starts a goroutine or reads a clock, and no result depends on map
// order.
package journal
