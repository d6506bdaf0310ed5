// TextEncoder and TextDecoder for an engine that has none: UTF-8 alone, all at once.
const UNITS = 4096;

class Utf8Decoder {
  #fatal;
  #ignoreBOM;
  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    if (!/^utf-?8$/i.test(label)) throw new RangeError(`there is no encoding ${label} here`);
    this.#fatal = fatal;
    this.#ignoreBOM = ignoreBOM;
  }
  get encoding() {
    return "utf-8";
  }
  decode(input = new Uint8Array()) {
    const bytes = ArrayBuffer.isView(input)
      ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
      : new Uint8Array(input);
    let text = "";
    let units = [];
    const begin = !this.#ignoreBOM && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    for (let at = begin; at < bytes.length; ) {
      const first = bytes[at++];
      if (first < 0x80) {
        units.push(first);
      } else {
        let needed = first < 0xc2 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 0;
        let code = needed === 0 ? -1 : first & (0x3f >> needed);
        // The second byte's bounds: nothing too long for what it says, no surrogate, nothing beyond.
        let low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
        let high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
        for (; needed > 0; needed--) {
          const next = bytes[at];
          if (!(next >= low && next <= high)) {
            code = -1;
            break;
          }
          code = (code << 6) | (next & 0x3f);
          at++;
          [low, high] = [0x80, 0xbf];
        }
        if (code < 0) {
          if (this.#fatal) throw new TypeError("the bytes aren't UTF-8");
          units.push(0xfffd);
        } else if (code < 0x10000) {
          units.push(code);
        } else {
          units.push(0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
        }
      }
      if (units.length >= UNITS) {
        text += String.fromCharCode.apply(null, units);
        units = [];
      }
    }
    return text + String.fromCharCode.apply(null, units);
  }
}

class Utf8Encoder {
  get encoding() {
    return "utf-8";
  }
  encode(text = "") {
    const bytes = [];
    for (const character of String(text)) {
      let code = character.codePointAt(0);
      if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
      if (code < 0x80) bytes.push(code);
      else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
      else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
      else
        bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    }
    return new Uint8Array(bytes);
  }
}

globalThis.TextDecoder ??= Utf8Decoder;
globalThis.TextEncoder ??= Utf8Encoder;
