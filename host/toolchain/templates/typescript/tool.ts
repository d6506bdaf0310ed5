// The tool's functions, as wit/tool.wit declares them. What is thrown is the error that the caller sees.
import { readFileSync } from "node:fs";

export function countWords(path: string): number {
  try {
    return readFileSync(path, "utf8").split(/\s+/).filter(Boolean).length;
  } catch (error: any) {
    throw error.message;
  }
}
