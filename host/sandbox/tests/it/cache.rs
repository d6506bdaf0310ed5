//! The cache of compiled code: used when it is exactly ours, and never otherwise.

use crate::guests::{Bench, guest};
use ringfence_sandbox::{ComponentSource, Digest, LoadError, Sandbox, SandboxConfig, SandboxError};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

fn config(folder: &Path) -> SandboxConfig {
    SandboxConfig { cache_dir: Some(folder.to_owned()), ..SandboxConfig::for_few_calls() }
}

/// Loads the guest with this cache, calls it, and says whether it was compiled.
async fn compiles(folder: &Path) -> bool {
    let bench = Bench::new(config(folder), guest());
    let would = bench.sandbox.would_compile(bench.component()).unwrap();
    let prepared = bench.sandbox.prepare(bench.component()).await.unwrap();
    bench.goes_on().await;
    assert!(prepared.compiled || !would, "said it would not compile and did");
    prepared.compiled
}

fn file_with(folder: &Path, extension: &str) -> PathBuf {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == extension))
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.pop().unwrap()
}

async fn filled() -> (TempDir, PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("a/cache");
    assert!(compiles(&folder).await);
    (parent, folder)
}

/// Spoils the code file; afterwards it must be compiled again, once.
async fn spoiled(spoil: impl FnOnce(&Path)) {
    let (_parent, folder) = filled().await;
    spoil(&file_with(&folder, "code"));
    assert!(compiles(&folder).await, "the spoiled file was used");
    assert!(!compiles(&folder).await, "the spoiled file was not replaced");
}

#[tokio::test]
async fn code_is_compiled_once_and_kept_private() {
    let (_parent, folder) = filled().await;
    assert!(!compiles(&folder).await);
    assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o7777, 0o700);
    for extension in ["code", "tools"] {
        assert_eq!(fs::metadata(file_with(&folder, extension)).unwrap().mode() & 0o7777, 0o600);
    }
}

#[tokio::test]
async fn a_warm_cache_needs_no_bytes() {
    let (_parent, folder) = filled().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    let source = ComponentSource::lazy("guest", Digest::of(&guest()), move || {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(guest())
    });
    let sandbox = Sandbox::new(config(&folder)).unwrap();
    let component = sandbox.load(source).unwrap();
    assert!(!sandbox.prepare(&component).await.unwrap().compiled);
    assert_eq!(asked.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn changed_code_is_not_loaded() {
    spoiled(|file| {
        let mut bytes = fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(file, bytes).unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_file_with_a_changed_end_is_not_loaded() {
    spoiled(|file| {
        let mut bytes = fs::read(file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(file, bytes).unwrap();
    })
    .await;
}

#[tokio::test]
async fn truncated_lengthened_and_empty_files_are_not_loaded() {
    spoiled(|file| {
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..bytes.len() - 100]).unwrap();
    })
    .await;
    spoiled(|file| {
        let mut bytes = fs::read(file).unwrap();
        bytes.push(0);
        fs::write(file, bytes).unwrap();
    })
    .await;
    spoiled(|file| fs::write(file, b"").unwrap()).await;
}

#[tokio::test]
async fn a_file_that_others_can_write_is_not_loaded() {
    spoiled(|file| fs::set_permissions(file, fs::Permissions::from_mode(0o666)).unwrap()).await;
}

#[tokio::test]
async fn a_link_instead_of_the_file_is_not_loaded() {
    spoiled(|file| {
        let elsewhere = file.with_extension("moved");
        fs::rename(file, &elsewhere).unwrap();
        symlink(&elsewhere, file).unwrap();
    })
    .await;
    spoiled(|file| fs::hard_link(file, file.with_extension("second")).unwrap()).await;
}

#[tokio::test]
async fn a_pipe_instead_of_the_file_neither_blocks_nor_loads() {
    spoiled(|file| {
        fs::remove_file(file).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, file, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    })
    .await;
}

#[tokio::test]
async fn sound_code_under_another_name_is_not_loaded() {
    let (_parent, folder) = filled().await;
    let code = file_with(&folder, "code");
    let name = code.file_name().unwrap().to_str().unwrap();
    // The name begins with the component's digest: as if it were another component's code.
    let other = Digest::of(b"another component").hex();
    fs::copy(&code, folder.join(format!("{other}{}", &name[64..]))).unwrap();
    let sandbox = Sandbox::new(config(&folder)).unwrap();
    let source = ComponentSource::lazy("other", Digest::of(b"another component"), || Err("gone".into()));
    let error = sandbox.load(source).unwrap_err();
    assert!(matches!(error, LoadError::Fetch { .. }), "{error}");
}

#[tokio::test]
async fn changed_definitions_are_read_from_the_component_again() {
    let (_parent, folder) = filled().await;
    let file = file_with(&folder, "tools");
    let text = fs::read(&file).unwrap();
    let at = text.windows(5).position(|part| part == b"count").unwrap();
    let mut changed = text;
    changed[at] = b'X';
    fs::write(&file, changed).unwrap();
    assert!(!compiles(&folder).await);
}

#[tokio::test]
async fn a_cache_folder_that_cant_be_written_is_no_obstacle() {
    let parent = tempfile::tempdir().unwrap();
    // A file in the way: nothing can be made below it, not even by root.
    let file = parent.path().join("file");
    fs::write(&file, b"").unwrap();
    assert!(compiles(&file.join("cache")).await);

    let folder = parent.path().join("locked");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    assert!(compiles(&folder).await);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_cache_folder_that_isnt_ours_alone_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("open");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let refused = |folder: &Path| match Sandbox::new(config(folder)) {
        Err(error @ SandboxError::Cache(_)) => error.to_string(),
        other => panic!("{:?}", other.err()),
    };
    assert!(refused(&folder).contains("chmod go-w"));
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o770)).unwrap();
    assert!(refused(&folder).contains("mode 770"));

    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    let link = parent.path().join("link");
    symlink(&folder, &link).unwrap();
    assert!(refused(&link).contains("not a link"));

    let file = parent.path().join("file");
    fs::write(&file, b"").unwrap();
    assert!(refused(&file).contains("must be a folder"));

    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&folder, Some(12345), None).unwrap();
        assert!(refused(&folder).contains("belongs to user 12345"));
    }
}

#[tokio::test]
async fn bytes_that_arent_the_promised_ones_are_refused() {
    let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
    let source = ComponentSource::lazy("files", Digest::of(b"promised"), || Ok(guest()));
    let error = sandbox.load(source).unwrap_err();
    assert!(matches!(error, LoadError::OtherDigest { .. }), "{error}");
}

#[test]
fn files_that_are_no_components_are_refused_with_the_reason() {
    let parent = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
    let load = |name: &str, bytes: &[u8]| {
        let file = parent.path().join(name);
        fs::write(&file, bytes).unwrap();
        let loaded = ComponentSource::from_file(&file).and_then(|source| sandbox.load(source).map(drop));
        let error = loaded.unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
        error
    };
    let whole = guest();
    assert!(load("half.wasm", &whole[..whole.len() / 2]).contains("cut off"));
    assert!(load("core.wasm", &wat::parse_str("(module)").unwrap()).contains("core WebAssembly module"));
    assert!(load("text.wasm", b"hello").contains("no WebAssembly file"));
    assert!(load("empty.wasm", b"").contains("empty"));

    let large = fs::File::create(parent.path().join("large.wasm")).unwrap();
    large.set_len(200 << 20).unwrap();
    let error = ComponentSource::from_file(&parent.path().join("large.wasm")).unwrap_err();
    assert!(error.to_string().contains("at most 67108864"), "{error}");
    let error = ComponentSource::from_file(parent.path()).unwrap_err();
    assert!(error.to_string().contains("no regular file"), "{error}");
    let error = ComponentSource::from_file(&parent.path().join("missing.wasm")).unwrap_err();
    assert!(error.to_string().contains("missing.wasm"), "{error}");
}

#[tokio::test]
async fn code_that_doesnt_validate_is_an_error_when_it_is_prepared() {
    let wit = "package test:wrong; world wrong { export run: func() -> u32; }";
    let mut bytes =
        crate::built::over(wit, "wrong", r#"(module (func (export "run") (result i32) (i32.const 7)))"#);
    // `i32.const 7` and the function's end: the constant becomes a float's, too short.
    let at = bytes.windows(3).position(|code| code == [0x41, 7, 0x0b]).unwrap();
    bytes[at] = 0x1a;
    let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
    let component = sandbox.load(ComponentSource::from_bytes("wrong", bytes)).unwrap();
    let error = sandbox.prepare(&component).await.unwrap_err();
    assert!(matches!(error, LoadError::Compile { .. }), "{error}");
}

#[tokio::test]
async fn an_import_that_isnt_offered_is_named() {
    let wit = "package test:odd; interface launch { fire: func(); } world odd { import launch; export run: func(); }";
    let module =
        r#"(module (import "test:odd/launch" "fire" (func $fire)) (func (export "run") (call $fire)))"#;
    let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
    let source = ComponentSource::from_bytes("odd", crate::built::over(wit, "odd", module));
    let component = sandbox.load(source).unwrap();
    let error = sandbox.prepare(&component).await.unwrap_err();
    assert!(matches!(error, LoadError::Import { .. }), "{error}");
    assert!(error.to_string().contains("test:odd/launch"), "{error}");
}
