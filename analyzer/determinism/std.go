package determinism

import (
	"go/build"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// The standard library is not analysed: its code depends on clocks and schedulers in ways that do not show in its
// results, and the few results that do show it are known. This file is what is known. Everything that is not listed
// is deterministic.

// verdict says which hazard the use of a standard function is, as the end of a sentence that its name begins.
type verdict struct {
	kind kind
	why  string
}

var (
	readsClock   = verdict{clock, "reads the clock, which differs between peers and between replays"}
	runsLater    = verdict{clock, "depends on the clock and the scheduler"}
	readsZone    = verdict{clock, "depends on the time zone of the machine"}
	drawsGlobal  = verdict{random, "draws from a generator that each process seeds for itself; keep a generator in the state"}
	drawsSystem  = verdict{random, "draws from the operating system; keep a generator in the state"}
	drawsWidth   = verdict{random, "gives other numbers where int has 32 bits; take a type of fixed width"}
	drawsMath    = verdict{random, "rejects candidates by math.Exp and math.Log, whose last bits depend on the target"}
	bitsDiffer   = verdict{mathBits, "gives different bits on different targets"}
	seeded       = verdict{seededHash, "is seeded anew by each process"}
	encodesMaps  = verdict{seededHash, "writes maps in iteration order, and type numbers in the order of first use"}
	mapReflected = verdict{mapOrder, "comes in map iteration order"}
	asksSystem   = verdict{environment, "depends on the machine it runs on"}
	asksRuntime  = verdict{environment, "depends on the state of the runtime"}
	byteOrder    = verdict{environment, "differs between little-endian and big-endian machines; name a byte order"}
	addresses    = verdict{address, "yields an address, which differs between runs"}
	waits        = verdict{concurrency, "depends on what other goroutines do"}
	pooled       = verdict{concurrency, "returns an object that is new or used, at the scheduler's discretion"}
	collected    = verdict{environment, "depends on when the garbage collector runs"}
)

// rules are what is known about one package. A key is "Name" or "Type.Name".
type rules struct {
	names  map[string]verdict
	others *verdict // about functions and variables that neither list names
	safe   []string // a "Type." stands for all methods of a type
	below  bool     // the rules hold for the packages below this one, too
}

// safeMath lists the functions of package math that give the same bits everywhere, but for the bits of a NaN. The
// test of package hazards runs all functions and compares.
var safeMath = []string{
	"Abs", "Ceil", "Copysign", "Dim", "FMA", "Float32bits", "Float32frombits", "Float64bits", "Float64frombits",
	"Floor", "Frexp", "Ilogb", "Inf", "IsInf", "IsNaN", "Ldexp", "Logb", "Max", "Min", "Mod", "Modf", "NaN",
	"Nextafter", "Nextafter32", "Pow10", "Remainder", "Round", "RoundToEven", "Signbit", "Sqrt", "Trunc",
}

var standard = map[string]rules{
	"math":        {others: &bitsDiffer, safe: safeMath},
	"math/cmplx":  {others: &bitsDiffer, safe: []string{"Conj", "Inf", "IsInf", "IsNaN", "NaN"}},
	"crypto/rand": {others: &drawsSystem},
	"hash/maphash": {
		others: &seeded,
	},
	"math/rand": {
		others: &drawsGlobal,
		names:  map[string]verdict{"Rand.Int": drawsWidth, "Rand.NormFloat64": drawsMath, "Rand.ExpFloat64": drawsMath, "NewZipf": drawsMath},
		safe:   []string{"New", "NewSource", "Rand.", "Source.", "Source64.", "Zipf."},
	},
	"math/rand/v2": {
		others: &drawsGlobal,
		names: map[string]verdict{
			"Rand.Int": drawsWidth, "Rand.Uint": drawsWidth,
			"Rand.NormFloat64": drawsMath, "Rand.ExpFloat64": drawsMath, "NewZipf": drawsMath,
		},
		safe: []string{"New", "NewPCG", "NewChaCha8", "Rand.", "Source.", "PCG.", "ChaCha8.", "Zipf."},
	},
	"time": {names: map[string]verdict{
		"Now": readsClock, "Since": readsClock, "Until": readsClock,
		"Sleep": runsLater, "After": runsLater, "AfterFunc": runsLater, "Tick": runsLater, "NewTimer": runsLater,
		"NewTicker": runsLater, "Timer.Reset": runsLater, "Timer.Stop": runsLater, "Ticker.Reset": runsLater, "Ticker.Stop": runsLater,
		"Local": readsZone, "Time.Local": readsZone, "LoadLocation": readsZone,
	}},
	"context": {names: map[string]verdict{
		"WithTimeout": runsLater, "WithTimeoutCause": runsLater, "WithDeadline": runsLater, "WithDeadlineCause": runsLater,
		"AfterFunc": waits, "Context.Done": waits, "Context.Err": waits, "Cause": waits,
	}},
	"sync": {names: map[string]verdict{"Map.Range": mapReflected, "Pool.Get": pooled}},
	"reflect": {names: map[string]verdict{
		"Value.MapKeys": mapReflected, "Value.MapRange": mapReflected, "Value.Seq": mapReflected, "Value.Seq2": mapReflected,
		"Value.Pointer": addresses, "Value.UnsafePointer": addresses, "Value.UnsafeAddr": addresses,
		"Select": waits, "Value.Recv": waits, "Value.TryRecv": waits, "Value.Send": waits, "Value.TrySend": waits,
	}},
	"maps":            {names: map[string]verdict{"Keys": mapReflected, "Values": mapReflected, "All": mapReflected}},
	"encoding/gob":    {names: map[string]verdict{"Encoder.Encode": encodesMaps, "Encoder.EncodeValue": encodesMaps}},
	"encoding/binary": {names: map[string]verdict{"NativeEndian": byteOrder}},
	"fmt": {names: map[string]verdict{
		"Scan": asksSystem, "Scanf": asksSystem, "Scanln": asksSystem,
	}},
	"runtime": {names: map[string]verdict{
		"NumCPU": asksRuntime, "NumGoroutine": asksRuntime, "NumCgoCall": asksRuntime, "GOMAXPROCS": asksRuntime,
		"ReadMemStats": asksRuntime, "SetFinalizer": collected, "AddCleanup": collected, "GOROOT": asksSystem,
		"Version": asksSystem,
	}},
	"weak": {names: map[string]verdict{"Pointer.Value": collected}},
	"os": {
		others: &asksSystem,
		below:  true,
		safe: []string{
			"Err", "Stdout", "Stderr", "Exit", "IsExist", "IsNotExist", "IsPermission", "IsTimeout", "IsPathSeparator", "NewSyscallError", "Expand",
			"PathError.", "LinkError.", "SyscallError.", "FileMode.", "Signal.",
		},
	},
	"net": {
		others: &asksSystem,
		below:  true,
		safe: []string{
			"Err", "IP.", "IPv", "ParseIP", "ParseCIDR", "ParseMAC", "CIDRMask", "JoinHostPort", "SplitHostPort", "Flags.", "IPMask.",
			"IPNet.", "HardwareAddr.", "TCPAddr.", "UDPAddr.", "IPAddr.", "UnixAddr.", "OpError.", "AddrError.", "ParseError.",
			"DNSError.", "Error.", "Addr.",
		},
	},
	"net/http": {
		others: &asksSystem,
		below:  true,
		safe: []string{
			"Err", "Header.", "StatusText", "CanonicalHeaderKey", "DetectContentType", "NoBody", "ParseTime",
			"ParseHTTPVersion",
		},
	},
	"net/netip":     {},
	"net/url":       {},
	"net/mail":      {},
	"net/textproto": {others: &asksSystem, safe: []string{"MIMEHeader.", "CanonicalMIMEHeaderKey", "TrimBytes", "TrimString"}},
	"syscall":       {others: &asksSystem, below: true, safe: []string{"Errno.", "Signal."}},
	"plugin":        {others: &asksSystem},
	"flag":          {others: &asksSystem},
	"io/ioutil":     {others: &asksSystem, safe: []string{"ReadAll", "NopCloser", "Discard"}},
	"database/sql":  {others: &asksSystem},
	"path/filepath": {names: map[string]verdict{
		"Abs": asksSystem, "EvalSymlinks": asksSystem, "Glob": asksSystem, "Walk": asksSystem, "WalkDir": asksSystem,
	}},
	"runtime/debug":   {names: map[string]verdict{"ReadGCStats": asksRuntime, "ReadBuildInfo": asksSystem}},
	"runtime/metrics": {others: &asksRuntime},
}

// rulesOf returns what is known about a package.
func rulesOf(path string) rules {
	if r, ok := standard[path]; ok {
		return r
	}
	for above := path; ; {
		i := strings.LastIndexByte(above, '/')
		if i < 0 {
			return rules{}
		}
		above = above[:i]
		if r, ok := standard[above]; ok && r.below {
			return r
		}
	}
}

func (r rules) about(name string) (verdict, bool) {
	if v, ok := r.names[name]; ok {
		return v, true
	}
	if r.others == nil || slices.ContainsFunc(r.safe, func(safe string) bool {
		// Errors and addresses are recognised by how their names begin.
		return name == safe || strings.HasPrefix(name, safe) && (strings.HasSuffix(safe, ".") || safe == "Err" || safe == "IPv")
	}) {
		return verdict{}, false
	}
	return *r.others, true
}

// standardFunc returns what is wrong with the use of a function or method of the standard library.
func standardFunc(fn *types.Func) (verdict, bool) {
	return rulesOf(fn.Pkg().Path()).about(memberName(fn))
}

// standardVar is the same for a variable.
func standardVar(v *types.Var) (verdict, bool) { return rulesOf(v.Pkg().Path()).about(v.Name()) }

// standardConst returns what is wrong with the use of a constant.
func standardConst(obj *types.Const) string {
	if obj.Pkg() != nil && obj.Pkg().Path() == "runtime" && (obj.Name() == "GOARCH" || obj.Name() == "GOOS") {
		return asksSystem.why
	}
	return ""
}

// standardRoots are the first elements of the import paths of the standard library. A test compares them with what
// the go command knows.
var standardRoots = strings.Fields(`archive bufio bytes cmp compress container context crypto database debug embed
	encoding errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin
	reflect regexp runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe
	vendor weak`)

func standardPath(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	_, found := slices.BinarySearch(standardRoots, first)
	return found
}

// isStandard reports whether a package belongs to the standard library or to the go command.
func isStandard(pass *analysis.Pass) bool {
	path := pass.Pkg.Path()
	if standardPath(path) || strings.HasPrefix(path, "cmd/") {
		return true
	}
	first, _, _ := strings.Cut(path, "/")
	if strings.Contains(first, ".") || len(pass.Files) == 0 || build.Default.GOROOT == "" {
		return false
	}
	// A root that a later release has added.
	file := pass.Fset.PositionFor(pass.Files[0].FileStart, false).Filename
	rel, err := filepath.Rel(filepath.Join(build.Default.GOROOT, "src"), file)
	return err == nil && filepath.IsLocal(rel)
}

// SafeMath returns the names of the functions of package math that are not reported, because they give the same bits
// on all targets.
func SafeMath() []string { return slices.Clone(safeMath) }
