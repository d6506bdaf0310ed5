//! SHA-256 digests, written as `sha256:` and 64 hex digits: what registries name things by.

use serde::{Deserialize, Serialize};
use sha2::Digest;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256([u8; 32]);

/// Why a text is no such digest.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is no digest that can be checked: want `sha256:` and 64 hex digits")]
pub struct Sha256Error(String);

impl Sha256 {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The 64 hex digits alone.
    pub fn hex(&self) -> String {
        use fmt::Write;
        self.0.iter().fold(String::with_capacity(64), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Sha256 {
    type Err = Sha256Error;
    fn from_str(text: &str) -> Result<Self, Sha256Error> {
        let wrong = || Sha256Error(text.chars().take(100).collect());
        let hex = text.strip_prefix("sha256:").filter(|hex| hex.len() == 64).ok_or_else(wrong)?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            let digit = |at: usize| {
                let digit = pair.get(at).copied().unwrap_or_default();
                // Registries write small letters, and one thing has one name.
                (!digit.is_ascii_uppercase()).then(|| char::from(digit).to_digit(16)).flatten()
            };
            let (high, low) = (digit(0).ok_or_else(wrong)?, digit(1).ok_or_else(wrong)?);
            *byte = u8::try_from(high * 16 + low).map_err(|_| wrong())?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Sha256 {
    type Error = Sha256Error;
    fn try_from(text: String) -> Result<Self, Sha256Error> {
        text.parse()
    }
}

impl From<Sha256> for String {
    fn from(digest: Sha256) -> Self {
        digest.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_it_is_written_and_nothing_else_is() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Sha256::of(b"").to_string(), empty);
        assert_eq!(empty.parse(), Ok(Sha256::of(b"")));
        let upper = empty.replace("e3b0", "E3B0");
        for wrong in ["", "sha256:", "sha512:00", &empty[7..], &empty[..70], &upper, &format!("{empty}0")] {
            assert!(wrong.parse::<Sha256>().is_err(), "{wrong}");
        }
        assert!(format!("sha256:{}", "é".repeat(32)).parse::<Sha256>().is_err());
    }
}
