use crate::ground::{analyze, head, imports, outline};
use ringfence_code::Language;

#[test]
fn modules_classes_methods_and_accessors_are_outlined() {
    let analysis = analyze(
        Language::Ruby,
        r#"# frozen_string_literal: true
require "json"
require_relative "lib/a"
autoload :Lazy, "lazy"
# Serves.
module Web
  LIMIT = 3
  class Server::Pool < Base
    attr_reader :port, :host
    attr_accessor :a,
      :b
    # Starts it.
    def start(port, host: nil)
      X.each { |y| y }
    end
    def self.build; end
    class << self
      def made; end
    end
    private
    def hidden; end
    public
    def again? = true
    private def alone; end
  end
end
def top; end
"#,
    );
    assert_eq!(
        outline(&analysis),
        [
            "module Web+ 6-26",
            "constant Web.LIMIT+ 7-7",
            "class Web.Server.Pool+ 8-25",
            "property Web.Server.Pool.port+ 9-9",
            "property Web.Server.Pool.host+ 9-9",
            "property Web.Server.Pool.a+ 10-10",
            "property Web.Server.Pool.b+ 11-11",
            "method Web.Server.Pool.start+ 13-15",
            "method Web.Server.Pool.build+ 16-16",
            "method Web.Server.Pool.made+ 18-18",
            "method Web.Server.Pool.hidden 21-21",
            "method Web.Server.Pool.again?+ 23-23",
            "method Web.Server.Pool.alone 24-24",
            "function top+ 27-27",
        ]
    );
    assert_eq!(imports(&analysis), ["2 require json", "3 require ./lib/a", "4 dynamic lazy"]);
    assert_eq!(head(&analysis, "start"), ("def start(port, host: nil)", Some("Starts it.")));
    assert_eq!(head(&analysis, "Pool").0, "class Server::Pool < Base");
}
