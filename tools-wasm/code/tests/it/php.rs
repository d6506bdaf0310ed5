use crate::ground::{analyze, head, imports, outline};
use ringfence_code::Language;

#[test]
fn classes_functions_and_constants_are_outlined() {
    let analysis = analyze(
        Language::Php,
        r#"<?php
namespace App\Models;

use App\Base;
use App\Other as O, App\More;
use App\{A, B as C};
use function App\f;
require_once __DIR__ . '/boot.php';
include('x.php');

const LIMIT = 3;
define('DEBUG', true);
$config = ['a' => 1];
$config = 2;

/** An order. */
#[Entity]
abstract class Order extends Base implements I {
    use Sluggable;
    public const A = 1, B = 2;
    private const C = 3;
    public int $n = 1;
    public string $full { get => $this->a; }
    public function __construct(private int $x) {}
    protected static function hidden(): int { $local = 1; return 1; }
    abstract function open();
}
interface I { public function m(); }
trait T { function t() {} }
enum Suit: string { case Hearts = 'h'; const X = 1; function label() {} }
function top(int $a) { return function () { $b = 1; }; }
"#,
    );
    assert_eq!(
        outline(&analysis),
        [
            "constant LIMIT+ 11-11",
            "constant DEBUG+ 12-12",
            "variable config 13-13",
            "class Order+ 18-27",
            "constant Order.A+ 20-20",
            "constant Order.B+ 20-20",
            "constant Order.C 21-21",
            "property Order.full+ 23-23",
            "method Order.__construct+ 24-24",
            "method Order.hidden 25-25",
            "method Order.open+ 26-26",
            "interface I+ 28-28",
            "method I.m+ 28-28",
            "trait T+ 29-29",
            "method T.t+ 29-29",
            "enum Suit+ 30-30",
            "constant Suit.X+ 30-30",
            "method Suit.label+ 30-30",
            "function top+ 31-31",
        ]
    );
    assert_eq!(
        imports(&analysis),
        [
            "4 import App\\Base",
            "5 import App\\Other",
            "5 import App\\More",
            "6 import App: A, B as C",
            "7 import App\\f",
            "8 include /boot.php",
            "9 include x.php",
        ]
    );
    assert_eq!(analysis.package_name.as_deref(), Some("App\\Models"));
    assert_eq!(
        head(&analysis, "Order"),
        ("abstract class Order extends Base implements I", Some("An order."))
    );
}
