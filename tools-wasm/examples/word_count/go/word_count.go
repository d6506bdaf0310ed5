// Package export_ringfence_examples_words counts words with nothing but Go's own library. A package
// with this name implements the interface ringfence:examples/words.
package export_ringfence_examples_words

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	wit "go.bytecodealliance.org/pkg/wit/types"
	. "word_count/ringfence_examples_words"
)

const (
	// Words with more bytes are counted, but never among the frequent.
	longest = 100
	most    = 100
)

// WordCount counts a file, or a folder's files.
func WordCount(path string, pattern wit.Option[string], top wit.Option[uint32]) wit.Result[Counts, string] {
	count := count{times: map[string]uint64{}}
	if err := count.all(path, pattern.SomeOr("*")); err != nil {
		return wit.Err[Counts, string](err.Error())
	}
	return wit.Ok[Counts, string](count.finish(int(min(top.SomeOr(10), most))))
}

type count struct {
	Counts
	times map[string]uint64
}

func (c *count) all(path, pattern string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return c.file(path)
	}
	// WalkDir would not look into a folder that a link names.
	pending := []string{path}
	for len(pending) > 0 {
		folder := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		entries, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			inside := filepath.Join(folder, entry.Name())
			switch {
			case entry.IsDir():
				pending = append(pending, inside)
			case entry.Type()&fs.ModeType == 0 && matches([]rune(pattern), []rune(entry.Name())):
				if err := c.file(inside); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c *count) file(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) {
		c.Skipped++
		return nil
	}
	c.Files++
	c.Bytes += uint64(len(text))
	c.Lines += uint64(bytes.Count(text, []byte("\n")))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		c.Lines++
	}
	isSpace := func(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' }
	for word := range bytes.FieldsFuncSeq(text, isSpace) {
		c.Words++
		if len(word) <= longest {
			c.times[lower(word)]++
		}
	}
	return nil
}

// lower changes ASCII letters alone.
func lower(word []byte) string {
	lowered := bytes.Clone(word)
	for i, b := range lowered {
		if 'A' <= b && b <= 'Z' {
			lowered[i] = b + 'a' - 'A'
		}
	}
	return string(lowered)
}

func (c *count) finish(top int) Counts {
	frequent := make([]Frequent, 0, len(c.times))
	for word, times := range c.times {
		frequent = append(frequent, Frequent{Word: word, Times: times})
	}
	slices.SortFunc(frequent, func(a, b Frequent) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Word, b.Word))
	})
	c.Top = frequent[:min(top, len(frequent))]
	return c.Counts
}

// matches says whether a name fits a pattern of * and ?, in time that both lengths multiplied bound.
func matches(pattern, name []rune) bool {
	p, n, star, from := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p, n = p+1, n+1
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	for _, c := range pattern[p:] {
		if c != '*' {
			return false
		}
	}
	return true
}
