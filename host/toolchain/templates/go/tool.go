// Package export_wit_world has the tool's functions, as wit/tool.wit declares them. Functions of an
// exported interface would be in a package of its own: export_NAMESPACE_PACKAGE_INTERFACE.
package export_wit_world

import (
	"bytes"
	"os"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// CountWords counts the words of a text file.
func CountWords(path string) wit.Result[uint32, string] {
	text, err := os.ReadFile(path)
	if err != nil {
		return wit.Err[uint32, string](err.Error())
	}
	return wit.Ok[uint32, string](uint32(len(bytes.Fields(text))))
}
