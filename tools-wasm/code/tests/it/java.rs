use crate::ground::{analyze, head, imports, outline};
use ringfence_code::Language;

#[test]
fn classes_inner_classes_and_records_are_outlined() {
    let analysis = analyze(
        Language::Java,
        r#"/* Licence. */
package com.example.app;

import java.util.List;
import java.util.concurrent.*;
import static org.junit.Assert.assertEquals;

/**
 * Keeps orders.
 */
@Service
@Scope("request")
public class Orders<T extends Order> extends Base implements Closeable {
    private final List<T> items;

    public Orders(List<T> items) { this.items = items; }

    /** Finds one. */
    @Override
    @Nullable
    public synchronized T find(
            String id,
            int limit) throws IOException {
        Runnable r = new Runnable() {
            public void run() {}
        };
        return null;
    }

    void helper() {}

    static class Inner {
        enum State { ON, OFF; boolean isOn() { return this == ON; } }
        private int n() { return 1; }
    }

    public interface Listener { void changed(); default int x() { return 1; } }
}

record Point(int x, int y) {
    Point { if (x < 0) throw new IllegalArgumentException(); }
    static Point origin() { return new Point(0, 0); }
}

@interface Marker { String value() default ""; }
"#,
    );
    assert_eq!(analysis.package_name.as_deref(), Some("com.example.app"));
    assert_eq!(
        outline(&analysis),
        [
            "class Orders+ 13-38",
            "method Orders.Orders+ 16-16",
            "method Orders.find+ 21-28",
            "method Orders.find.run+ 25-25",
            "method Orders.helper 30-30",
            "class Orders.Inner 32-35",
            "enum Orders.Inner.State 33-33",
            "method Orders.Inner.State.isOn 33-33",
            "method Orders.Inner.n 34-34",
            "interface Orders.Listener+ 37-37",
            "method Orders.Listener.changed+ 37-37",
            "method Orders.Listener.x+ 37-37",
            "class Point 40-43",
            "method Point.Point 41-41",
            "method Point.origin 42-42",
            "interface Marker 45-45",
            "method Marker.value+ 45-45",
        ]
    );
    assert_eq!(
        imports(&analysis),
        [
            "4 import java.util.List",
            "5 import java.util.concurrent.*",
            "6 import org.junit.Assert.assertEquals",
        ]
    );
    assert_eq!(
        head(&analysis, "Orders"),
        ("public class Orders<T extends Order> extends Base implements Closeable", Some("Keeps orders."))
    );
    assert_eq!(
        head(&analysis, "find"),
        ("public synchronized T find( String id, int limit) throws IOException", Some("Finds one."))
    );
    assert_eq!(analysis.syntax_errors, 0);
}
