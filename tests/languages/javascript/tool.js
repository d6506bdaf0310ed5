// read-text over wasi:filesystem, which is what JavaScript has for files here. The path goes to the
// host as it came.
import { getDirectories } from "wasi:filesystem/preopens@0.2.0";

const CHUNK = 65536;

function decode(bytes) {
  const escaped = Array.from(bytes, (byte) => "%" + byte.toString(16).padStart(2, "0"));
  return decodeURIComponent(escaped.join(""));
}

export const reader = {
  readText(path) {
    try {
      const [[root]] = getDirectories();
      const file = root.openAt({ symlinkFollow: true }, path, {}, { read: true });
      const bytes = [];
      for (let end = false; !end; ) {
        const [chunk, last] = file.read(CHUNK, bytes.length);
        for (const byte of chunk) bytes.push(byte);
        end = last;
      }
      return decode(bytes);
    } catch (error) {
      throw `${path}: ${error?.payload ?? error?.message ?? error}`;
    }
  },
};
