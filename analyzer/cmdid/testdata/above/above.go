package above // want package:`below \[example.com/game/left example.com/game/right\]`

import (
	_ "example.com/game/left"
	_ "example.com/game/meet" // says it already
)
