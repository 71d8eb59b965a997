// Header blocks of SPDY/3: pairs of texts, compressed as one stream for all of a connection, with a dictionary that both sides
// know.
import { createInflate, type Inflate } from "node:zlib";

/** Each with its length before it. */
const words =
  "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin";
const rest =
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505" +
  "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized" +
  "403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable" +
  "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT" +
  "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain," +
  "text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

/** The dictionary of the specification, section 2.6.10.1. */
export function headerDictionary(): Buffer {
  const prefixed = words.split(" ").map((word) => {
    const text = Buffer.from(word.replace("_", " "));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    return Buffer.concat([length, text]);
  });
  return Buffer.concat([...prefixed, Buffer.from(rest)]);
}

/** The headers of clients are far shorter. */
const longestBlock = 64 * 1024;

/** Reads the header blocks that come over one connection, in their order. */
export class HeaderReader {
  readonly #inflate: Inflate = createInflate({ dictionary: headerDictionary() });
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor() {
    this.#inflate.on("data", (part: Buffer) => {
      this.#bytes += part.length;
      if (this.#bytes <= longestBlock) this.#parts.push(part);
    });
  }

  async read(block: Uint8Array): Promise<ReadonlyMap<string, string>> {
    this.#parts = [];
    this.#bytes = 0;
    await new Promise<void>((resolve, reject) => {
      this.#inflate.once("error", reject);
      this.#inflate.write(block, () => {
        this.#inflate.off("error", reject);
        // The decoded block is emitted by then.
        setImmediate(resolve);
      });
    });
    if (this.#bytes > longestBlock) throw new RangeError("a block of headers is too long");
    return pairsOf(Buffer.concat(this.#parts));
  }

  close(): void {
    this.#inflate.on("error", () => undefined);
    this.#inflate.close();
  }
}

function pairsOf(bytes: Buffer): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  let at = 4;
  const text = (): string => {
    const length = bytes.readUInt32BE(at);
    const end = at + 4 + length;
    if (end > bytes.length) throw new RangeError("a block of headers ends too early");
    const found = bytes.toString("utf8", at + 4, end);
    at = end;
    return found;
  };
  for (let left = bytes.readUInt32BE(0); left > 0; left--) {
    const name = text();
    pairs.set(name.toLowerCase(), text());
  }
  return pairs;
}

/** No headers: four zero bytes in a block that is not compressed, and the empty one that says to use what is there. */
const noHeaders = Buffer.from([0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);
/** The beginning of a compressed stream that uses the dictionary. */
const beginning = Buffer.from([0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2]);

/** An empty block, for the first time on a connection or again. */
export const emptyHeaderBlock = (isFirst: boolean): Buffer =>
  isFirst ? Buffer.concat([beginning, noHeaders]) : noHeaders;
