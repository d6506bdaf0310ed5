// Package export_ringfence_languages_reader is read-text with os.ReadFile.
package export_ringfence_languages_reader

import (
	"os"

	witTypes "go.bytecodealliance.org/pkg/wit/types"
)

// ReadText reads a whole text file.
func ReadText(path string) witTypes.Result[string, string] {
	text, err := os.ReadFile(path)
	if err != nil {
		return witTypes.Err[string, string](err.Error())
	}
	return witTypes.Ok[string, string](string(text))
}
