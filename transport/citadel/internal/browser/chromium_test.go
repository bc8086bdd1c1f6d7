//go:build linux

package browser_test

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// findChromium returns where the browser is. Without one the test is skipped, except in CI.
func findChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no Chromium is installed (Debian: apt-get install chromium), and CI must have one")
	}
	t.Skip("no Chromium is installed: install Debian's package chromium to run this test")
	return ""
}

// output is what the browser prints.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// browse opens a page in a browser without a window, until the test ends.
func browse(t *testing.T, url string) {
	t.Helper()
	profile, err := os.MkdirTemp("", "citadel-browser")
	require.NoError(t, err)
	var out output
	cmd := exec.Command(findChromium(t),
		"--headless=new", "--no-sandbox", "--user-data-dir="+profile, "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--no-default-browser-check", "--mute-audio",
		// It shall talk to nobody but this test.
		"--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--disable-background-networking", "--disable-component-update", "--disable-default-apps",
		"--disable-extensions", "--disable-sync", "--disable-domain-reliability", "--metrics-recording-only",
		"--enable-logging=stderr",
		url)
	cmd.Stdout, cmd.Stderr = &out, &out
	// Its many processes make a group of their own, and end together, also if the test is killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = 10 * time.Second
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		// Whoever is still dying may still write.
		for range 50 {
			if os.RemoveAll(profile) == nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if t.Failed() {
			t.Logf("the browser says:\n%s", &out)
		}
	})
}
