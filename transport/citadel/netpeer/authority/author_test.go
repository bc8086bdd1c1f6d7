package authority_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// bearer is an object of the game that has a bag.
type bearer struct {
	bag replica.Items[int64]
}

func (b *bearer) ReplicaClass() *replica.Class { return unitClass }

func (b *bearer) TakeDirty(f replica.Fields) {
	if b.bag.Dirty() {
		f.Add(fieldBag)
	}
}

func (b *bearer) WriteReplica(s *replica.State, f replica.Fields) error {
	if !f.Has(fieldBag) {
		return nil
	}
	return b.bag.Write(s, fieldBag, (*netpeer.Field).Int)
}

func (b *bearer) ReadReplica(s *replica.State, f replica.Fields) {
	if f.Has(fieldBag) {
		b.bag.Read(s, fieldBag, func(item *netpeer.Field, v *netpeer.Value) int64 {
			n, _ := v.Int(item)
			return n
		})
	}
}

// A client whose object comes with elements, and who comes back after a while with a receiver that has got them again,
// can change them, if its author knows of them.
func TestAuthorOfElementsThatAreThere(t *testing.T) {
	bag := replica.NewFields(unitClass.Len())
	bag.Add(fieldBag)
	for _, told := range []bool{true, false} {
		s := newServer(t, authority.Config{})
		st := s.Entity(1).State()
		require.NoError(t, st.PutItem(fieldBag, item(t, 1, 3, 5, 10)))
		var mine bearer
		author := replica.NewAuthor(unitClass, 1, 0)
		for round := range int64(3) {
			s.Join(alice, 1, false)
			r := replica.NewReceiver(0, unitClass)
			s.Sender().Advance()
			require.NoError(t, s.Update(alice, func(_ replica.PeerID, _ wire.Kind, body []byte) {
				_, err := r.Apply(body)
				require.NoError(t, err)
			}))
			mine.ReadReplica(r.State(1), bag)
			if author.Reset(nil); told {
				author.Reset(r.State(1))
			}
			for edit := range int64(2) {
				for id, v := range mine.bag.All() {
					mine.bag.Set(id, v+1)
				}
				if edit == 1 {
					mine.bag.Add(100 * round)
				}
				body, err := author.Propose(nil, &mine)
				require.NoError(t, err)
				err = s.Receive(alice, 0, body, drop)
				if !told {
					require.Error(t, err)
					continue
				}
				require.NoError(t, err, "round %d edit %d", round, edit)
			}
		}
		var got, want []int64
		for _, e := range st.Items(fieldBag) {
			n, err := e.Value.Int(unitClass.Schema().Field(fieldBag).Item())
			require.NoError(t, err)
			got = append(got, n)
		}
		for _, v := range mine.bag.All() {
			want = append(want, v)
		}
		if told {
			require.Len(t, got, 4)
			require.Equal(t, want, got)
		} else {
			require.Equal(t, []int64{10}, got)
		}
	}
}
