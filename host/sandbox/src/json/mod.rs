//! JSON and component values, both ways, led by the function's types and lossless.
//!
//! | WIT | JSON |
//! |---|---|
//! | integers up to 32 bits, floats | number; NaN and infinities are refused |
//! | `s64`, `u64` | number within ±2^53, decimal string beyond; both are taken |
//! | `char`, `string` | string |
//! | `list<u8>` | base64, standard alphabet, padded |
//! | `list<T>`, `list<T, N>`, `tuple` | array |
//! | `map<string, V>`, other maps | object, array of `[key, value]` |
//! | `record` | object; fields of option type may be left out |
//! | `variant` | `{"case": name, "value": payload}`, without `value` where there is no payload |
//! | `enum`, `flags` | name, array of names |
//! | `option<T>` | null or the value; of an option of an option null or `{"some": value}` |
//! | `result<T, E>` inside a value | `{"ok": value}` or `{"err": value}`, null for no payload |
//!
//! Names are snake_case. Unknown names are refused, never dropped. Types nest at most as deep as
//! reflection allows, so conversion can't exhaust the stack whatever the JSON.

mod error;
mod input;
mod number;
mod output;
mod passing;
mod path;

pub use error::{InputError, OutputError};
pub use input::input_to_vals;
pub use output::{Returned, result_to_json};
pub use passing::{Arguments, Results, arguments};
