// Counts words with nothing but JavaScript's own library and node:fs.
import { readdirSync, readFileSync, statSync } from "node:fs";

// Words with more bytes are counted, but never among the frequent.
const LONGEST = 100;
const MOST = 100;

// The types of ../wit. A u64 is a number, exact up to 2^53.
interface Frequent {
  word: string;
  times: number;
}
interface Counts {
  files: number;
  skipped: number;
  lines: number;
  words: number;
  bytes: number;
  top: Frequent[];
}
type Times = Map<string, number>;

export const words = {
  wordCount(path: string, pattern?: string | null, top?: number | null): Counts {
    const counts: Counts = { files: 0, skipped: 0, lines: 0, words: 0, bytes: 0, top: [] };
    const times: Times = new Map();
    try {
      for (const file of files(path, pattern ?? "*")) count(readFileSync(file), counts, times);
    } catch (error: any) {
      throw error.message;
    }
    const frequent = Array.from(times, ([word, times]) => ({ word, times }));
    frequent.sort((a, b) => b.times - a.times || byBytes(a.word, b.word));
    // QuickJS is given a u32 as if it had a sign; `>>>` takes it away.
    return { ...counts, top: frequent.slice(0, Math.min((top ?? 10) >>> 0, MOST)) };
  },
};

// The file itself, or those in the folder whose name fits.
function* files(path: string, pattern: string): Generator<string> {
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  const pending = [path];
  while (pending.length > 0) {
    const folder = pending.pop()!;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const inside = folder.endsWith("/") ? folder + entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) pending.push(inside);
      else if (entry.isFile() && matches([...pattern], [...entry.name])) yield inside;
    }
  }
}

function count(bytes: Uint8Array, counts: Counts, times: Times): void {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    counts.skipped += 1;
    return;
  }
  counts.files += 1;
  counts.bytes += bytes.length;
  counts.lines += text.split("\n").length - (text === "" || text.endsWith("\n") ? 1 : 0);
  for (const [word] of text.matchAll(/[^ \t-\r]+/g)) {
    counts.words += 1;
    if (!fits(word)) continue;
    const lower = word.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    times.set(lower, (times.get(lower) ?? 0) + 1);
  }
}

function fits(word: string): boolean {
  // A unit of a JavaScript string has three bytes at most.
  return word.length * 3 <= LONGEST || (word.length <= LONGEST && new TextEncoder().encode(word).length <= LONGEST);
}

// Strings compare by their UTF-16 units; their bytes are in the order of the code points.
function byBytes(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

// Whether a name fits a pattern of `*` and `?`, in time that both lengths multiplied bound.
function matches(pattern: string[], name: string[]): boolean {
  let [p, n, star, from] = [0, 0, -1, 0];
  while (n < name.length) {
    if (pattern[p] === "*") {
      [star, from] = [p, n];
      p += 1;
    } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === name[n])) {
      p += 1;
      n += 1;
    } else if (star >= 0) {
      from += 1;
      [p, n] = [star + 1, from];
    } else {
      return false;
    }
  }
  return pattern.slice(p).every((c) => c === "*");
}
