package negative

import (
	"net/http"
	"os"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
)

type ping struct{}

type server struct{ banned map[netcode.AuthorID]bool }

func (s *server) check(h netcode.Header, _ []byte, _ netcode.Step) error {
	if s.banned[h.Key.Author] {
		return session.ErrHandled
	}
	return nil
}

// A set-up may read whatever it likes.
func start() (session.Config, error) {
	s := &server{}
	data, err := os.ReadFile(os.Getenv("BANNED"))
	if err != nil {
		return session.Config{}, err
	}
	http.Handle("/", http.NotFoundHandler())
	_ = data
	return session.Config{Validators: []session.Validator{s.check}}, nil
}
