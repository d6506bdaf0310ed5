// The tool's functions, as wit/tool.wit declares them. What is thrown is the error that the caller sees.
import { readFileSync } from "node:fs";

export function countWords(path) {
  try {
    return readFileSync(path, "utf8").split(/\s+/).filter(Boolean).length;
  } catch (error) {
    throw error.message;
  }
}
