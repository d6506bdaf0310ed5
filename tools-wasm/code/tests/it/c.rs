use crate::ground::{analyze, head, imports, outline};
use ringfence_code::Language;

#[test]
fn functions_types_and_macros_are_outlined() {
    let analysis = analyze(
        Language::C,
        r#"#include <stdio.h>
#include "local.h"
#ifdef DEBUG
#include <assert.h>
#endif
#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* A point. */
struct point { int x, y; };
typedef struct { struct point at; } Shape;
typedef struct node Node;
typedef int (*compare)(const void *, const void *);
enum color { RED, GREEN };
typedef union { int i; float f; } Value;
union raw { char b[4]; };

static int helper(int x);
int open_it(const char *name);
void twice(void), also(int);
int (*handler)(int);
extern char *names[];
struct point origin = { 0, 0 };

/*
 * Opens it.
 */
int open_it(const char *name)
{
    int (*local)(int) = 0;
    int nested(int);
    return 0;
}

static int helper(int x) { return x; }
char **list(void) { return 0; }
void (*signal_of(int sig, void (*func)(int)))(int) { return 0; }

#if defined(A)
int platform(void) { return 1; }
#else
int platform(void) { return 2; }
#endif
"#,
    );
    assert_eq!(
        outline(&analysis),
        [
            "constant LIMIT+ 6-6",
            "macro MAX+ 7-7",
            "struct point+ 10-10",
            "struct Shape+ 11-11",
            "typealias Node+ 12-12",
            "typealias compare+ 13-13",
            "enum color+ 14-14",
            "union Value+ 15-15",
            "union raw+ 16-16",
            "function twice+ 20-20",
            "function also+ 20-20",
            "variable handler+ 21-21",
            "variable names+ 22-22",
            "variable origin+ 23-23",
            "function open_it+ 28-33",
            "function helper 35-35",
            "function list+ 36-36",
            "function signal_of+ 37-37",
            "function platform+ 40-40",
            "function platform+ 42-42",
        ]
    );
    assert_eq!(imports(&analysis), ["1 include <stdio.h>", "2 include \"local.h\"", "4 include <assert.h>"]);
    assert_eq!(head(&analysis, "open_it"), ("int open_it(const char *name)", Some("Opens it.")));
    assert_eq!(head(&analysis, "point"), ("struct point", Some("A point.")));
    assert_eq!(head(&analysis, "MAX").0, "#define MAX(a, b)");
    assert_eq!(head(&analysis, "signal_of").0, "void (*signal_of(int sig, void (*func)(int)))(int)");
    assert_eq!(analysis.counts.functions, 8);
}

#[test]
fn a_header_is_outlined_by_its_prototypes() {
    let analysis = analyze(
        Language::C,
        "#ifndef A_H\n#define A_H\nint a(void);\nint a(void);\nextern int b(int x);\n#endif\n",
    );
    assert_eq!(outline(&analysis), ["function a+ 3-3", "function b+ 5-5"]);
    assert_eq!(analysis.counts.functions, 2);
    assert_eq!(head(&analysis, "b").0, "extern int b(int x)");
}
