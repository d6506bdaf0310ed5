use crate::ground::{analyze, head, imports, outline};
use ringfence_code::Language;

#[test]
fn namespaces_types_and_members_are_outlined() {
    let analysis = analyze(
        Language::CSharp,
        r#"using System;
using static System.Math;
using IO = System.IO;
namespace Shop.Core
{
    /// <summary>An order.</summary>
    [Serializable]
    public class Order<T> : Base where T : new()
    {
        public const int Limit = 1, Other = 2;
        private static readonly string Key = "x";
        int field;
        public Order(int a) { }
        [Obsolete]
        public async Task<int> Run(int a) { int Local() => 1; return Local(); }
        internal void Hidden() { }
        public int Count { get; set; }
        public string Name => "a";
        public int this[int i] { get { return i; } }
        public static Order<T> operator +(Order<T> a, Order<T> b) => a;
        ~Order() { }
    }
    public interface IStore { void Put(int a); int Size { get; } }
    public record Point(int X, int Y);
    public record struct Pair(int A);
    struct Raw { }
    enum Color { Red }
    delegate void Handler(int a);
}
"#,
    );
    assert_eq!(
        outline(&analysis),
        [
            "module Shop.Core+ 4-29",
            "class Shop.Core.Order+ 8-22",
            "constant Shop.Core.Order.Limit+ 10-10",
            "constant Shop.Core.Order.Other+ 10-10",
            "constant Shop.Core.Order.Key 11-11",
            "method Shop.Core.Order.Order+ 13-13",
            "method Shop.Core.Order.Run+ 15-15",
            "function Shop.Core.Order.Run.Local 15-15",
            "method Shop.Core.Order.Hidden 16-16",
            "property Shop.Core.Order.Count+ 17-17",
            "property Shop.Core.Order.Name+ 18-18",
            "property Shop.Core.Order.this+ 19-19",
            "method Shop.Core.Order.operator ++ 20-20",
            "method Shop.Core.Order.~Order 21-21",
            "interface Shop.Core.IStore+ 23-23",
            "method Shop.Core.IStore.Put+ 23-23",
            "property Shop.Core.IStore.Size+ 23-23",
            "class Shop.Core.Point+ 24-24",
            "struct Shop.Core.Pair+ 25-25",
            "struct Shop.Core.Raw 26-26",
            "enum Shop.Core.Color 27-27",
            "typealias Shop.Core.Handler 28-28",
        ]
    );
    assert_eq!(imports(&analysis), ["1 import System", "2 import System.Math", "3 import System.IO"]);
    assert_eq!(analysis.package_name.as_deref(), Some("Shop.Core"));
    assert_eq!(
        head(&analysis, "Order"),
        ("public class Order<T> : Base where T : new()", Some("<summary>An order.</summary>"))
    );
    let analysis = analyze(Language::CSharp, "namespace A.B;\nclass C { }\n");
    assert_eq!(
        (analysis.package_name.as_deref(), outline(&analysis)),
        (Some("A.B"), vec!["class C 2-2".to_owned()])
    );
}
