use crate::ground::{analyze, head, imports, outline};
use ringfence_code::Language;

#[test]
fn functions_receivers_and_types_are_outlined() {
    let analysis = analyze(
        Language::Go,
        r#"// Package web serves.
package web

import "fmt"
import (
	"net/http"
	log "github.com/sirupsen/logrus"
	_ `embed`
)

// Handler handles.
// It does more.
//
//go:generate stringer
type Handler func(http.ResponseWriter)

type (
	// Engine runs.
	Engine struct {
		Name string
	}
	Router interface {
		Use(...Handler) Router
		http.Handler
	}
	Alias = Engine
)

type List[T any] struct {
	head *T
}

// New makes an engine.
func New(opts ...func(*Engine)) (*Engine, error) {
	f := func() {}
	return nil, nil
}

func (e *Engine) Run(addr string) error { return nil }
func (l List[T]) push(v T) {}

var Default = func() *Engine { return nil }
var x, y = 1, 2

func main() {
	type local struct{}
}
"#,
    );
    assert_eq!(analysis.package_name.as_deref(), Some("web"));
    assert_eq!(
        outline(&analysis),
        [
            "typealias Handler+ 15-15",
            "struct Engine+ 19-21",
            "interface Router+ 22-25",
            "method Router.Use+ 23-23",
            "typealias Alias+ 26-26",
            "struct List+ 29-31",
            "function New+ 34-37",
            "method Engine.Run+ 39-39",
            "method List.push 40-40",
            "function Default+ 42-42",
            "variable x 43-43",
            "variable y 43-43",
            "function main 45-47",
            "struct main.local 46-46",
        ]
    );
    assert_eq!(
        imports(&analysis),
        ["4 import fmt", "6 import net/http", "7 import github.com/sirupsen/logrus", "8 import embed"]
    );
    assert_eq!(head(&analysis, "Engine"), ("Engine struct", Some("Engine runs.")));
    assert_eq!(head(&analysis, "List").0, "type List[T any] struct");
    assert_eq!(
        head(&analysis, "New"),
        ("func New(opts ...func(*Engine)) (*Engine, error)", Some("New makes an engine."))
    );
    assert_eq!(head(&analysis, "Run").0, "func (e *Engine) Run(addr string) error");
    assert_eq!(analysis.syntax_errors, 0);
}
