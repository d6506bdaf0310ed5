// node:fs over wasi:filesystem: the synchronous functions that read, write and list. Paths go to the
// host as they come; it alone decides what they name.
import { getDirectories } from "wasi:filesystem/preopens@0.2.0";

const CHUNK = 1 << 20;

// One of Node's error codes for each of WASI's, and its words.
const ERRORS = {
  access: ["EACCES", "permission denied"],
  exist: ["EEXIST", "file already exists"],
  invalid: ["EINVAL", "invalid argument"],
  io: ["EIO", "i/o error"],
  "is-directory": ["EISDIR", "illegal operation on a directory"],
  loop: ["ELOOP", "too many symbolic links encountered"],
  "name-too-long": ["ENAMETOOLONG", "name too long"],
  "no-entry": ["ENOENT", "no such file or directory"],
  "not-directory": ["ENOTDIR", "not a directory"],
  "not-empty": ["ENOTEMPTY", "directory not empty"],
  "not-permitted": ["EPERM", "operation not permitted"],
  "read-only": ["EROFS", "read-only file system"],
  quota: ["EDQUOT", "quota exceeded"],
};

// The folder that all paths begin at: opened once, and not before a call needs it.
let root;

// Does it in the root folder, and names the call and the path where it fails.
function inRoot(syscall, path, act) {
  try {
    root ??= getDirectories()[0][0];
    return act(root);
  } catch (error) {
    const reason = error?.payload ?? error;
    if (typeof reason !== "string") throw error;
    const [code, words] = ERRORS[reason] ?? [reason, reason];
    throw Object.assign(new Error(`${code}: ${words}, ${syscall} '${path}'`), { code, syscall, path });
  }
}

function using(resource, act) {
  try {
    return act(resource);
  } finally {
    resource[Symbol.dispose]?.();
  }
}

function encodingOf(options) {
  const encoding = typeof options === "string" ? options : options?.encoding;
  if (encoding == null || /^utf-?8$/i.test(encoding)) return encoding;
  throw new TypeError(`there is no encoding ${encoding} here: utf8, or none for bytes`);
}

function open(root, path, openFlags, flags) {
  return root.openAt({ symlinkFollow: true }, path, openFlags, flags);
}

export function readFileSync(path, options) {
  const encoding = encodingOf(options);
  const bytes = inRoot("open", path, (root) =>
    using(open(root, path, {}, { read: true }), (file) => {
      const chunks = [];
      let length = 0;
      for (let end = false; !end; ) {
        const [chunk, last] = file.read(U64(CHUNK), U64(length));
        chunks.push(chunk);
        length += chunk.length;
        end = last || chunk.length === 0;
      }
      if (chunks.length === 1) return chunks[0];
      const whole = new Uint8Array(length);
      let at = 0;
      for (const chunk of chunks) {
        whole.set(chunk, at);
        at += chunk.length;
      }
      return whole;
    }),
  );
  return encoding ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) : bytes;
}

export function writeFileSync(path, data, options) {
  encodingOf(options);
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  inRoot("open", path, (root) =>
    using(open(root, path, { create: true, truncate: true }, { write: true }), (file) => {
      let written = 0;
      while (written < bytes.length) {
        written += Number(file.write(bytes.subarray(written, written + CHUNK), U64(written)));
      }
    }),
  );
}

// A folder's entry or what stat tells: the kind, as Node asks for it.
class Kind {
  #type;
  constructor(type, rest) {
    this.#type = type;
    Object.assign(this, rest);
  }
  isFile() {
    return this.#type === "regular-file";
  }
  isDirectory() {
    return this.#type === "directory";
  }
  isSymbolicLink() {
    return this.#type === "symbolic-link";
  }
}

export function readdirSync(path, options) {
  const entries = inRoot("scandir", path, (root) =>
    using(open(root, path, { directory: true }, { read: true }), (folder) =>
      using(folder.readDirectory(), (stream) => {
        const all = [];
        for (let entry; (entry = stream.readDirectoryEntry()); ) all.push(entry);
        return all;
      }),
    ),
  );
  if (!options?.withFileTypes) return entries.map(({ name }) => name);
  return entries.map(({ type, name }) => new Kind(type, { name, parentPath: path }));
}

function stat(syscall, path, flags) {
  const { type, size } = inRoot(syscall, path, (root) => root.statAt(flags, path));
  return new Kind(type, { size: Number(size) });
}

export function statSync(path) {
  return stat("stat", path, { symlinkFollow: true });
}

export function lstatSync(path) {
  return stat("lstat", path, {});
}

export function existsSync(path) {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}

export function mkdirSync(path) {
  inRoot("mkdir", path, (root) => root.createDirectoryAt(path));
}

export function renameSync(from, to) {
  inRoot("rename", from, (root) => root.renameAt(from, root, to));
}

export function unlinkSync(path) {
  inRoot("unlink", path, (root) => root.unlinkFileAt(path));
}

export default {
  readFileSync, writeFileSync, readdirSync, statSync, lstatSync, existsSync, mkdirSync, renameSync, unlinkSync,
};
