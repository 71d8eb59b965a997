import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MalformedAnswerError, ResponseReader } from "./response-reader.js";

/** Reads an answer that comes in these pieces, each in a buffer that is used again at once. */
function read(pieces: readonly Uint8Array[]) {
  const seen = { status: 0, headers: {}, body: "", pieces: 0, isOver: false };
  const reader = new ResponseReader({
    onHead: (status, headers) => Object.assign(seen, { status, headers }),
    onBody: (bytes) => {
      seen.pieces++;
      seen.body += Buffer.from(bytes).toString("latin1");
    },
    onEnd: () => {
      expect(seen.isOver).toBe(false);
      seen.isOver = true;
    },
  });
  for (const piece of pieces) {
    const buffer = Uint8Array.from(piece);
    reader.push(buffer);
    buffer.fill(0x3f);
  }
  return { ...seen, end: () => reader.end() };
}

const bytes = (text: string) => Buffer.from(text, "latin1");
const readText = (text: string) => read([bytes(text)]);

/** A text cut at these places. */
function cut(text: string, places: readonly number[]): Uint8Array[] {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].toSorted((a, b) => a - b);
  return at.slice(1).map((end, index) => bytes(text.slice(at[index], end)));
}

const inChunks = (parts: readonly string[]) =>
  parts.map((part) => `${part.length.toString(16)};note="x"\r\n${part}\r\n`).join("");

describe("HTTP response reader", () => {
  it("is the same wherever it is cut", () => {
    const part = fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 40 });
    const framing = fc.constantFrom("chunked", "length", "close");
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 6 }),
        framing,
        fc.array(fc.nat(), { maxLength: 8 }),
        (parts, how, places) => {
          const body = parts.join("");
          const text = {
            chunked: `Transfer-Encoding: Chunked\r\n\r\n${inChunks(parts)}0\r\nX-Sum: 1\r\n\r\n`,
            length: `Content-Length: ${body.length}\r\n\r\n${body}`,
            close: `X-Frame: none\r\n\r\n${body}`,
          }[how];
          const answer = read(cut(`HTTP/1.1 200 OK\r\n${text}`, places));
          expect(answer).toMatchObject({ status: 200, body, isOver: how !== "close" });
          expect(answer.end()).toBe(true);
        },
      ),
    );
  });

  it("is handed on in one piece when it came in one, however it was cut into chunks", () => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect(readText(`${head}${inChunks(["a", "bc", "def"])}`)).toMatchObject({ body: "abcdef", pieces: 1 });
  });

  it("ends with its frame: bytes after it are ignored", () => {
    expect(readText("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n")).toMatchObject({
      status: 200,
      body: "ok",
      isOver: true,
    });
  });

  it.each([
    ["no content", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["nothing changed", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"],
    ["a length of nothing", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"],
  ])("without a body is over: %s", (_what, text) => {
    expect(readText(text)).toMatchObject({ body: "", isOver: true });
  });

  it.each([
    ["before its head is complete", "HTTP/1.1 200 OK\r\n"],
    ["inside its body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"],
    ["between chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n"],
  ])("that ends %s is not complete", (_where, text) => {
    const answer = readText(text);
    expect(answer.isOver).toBe(false);
    expect(answer.end()).toBe(false);
  });

  it("has headers that are data, whatever they are called", () => {
    const { headers } = readText("HTTP/1.1 200 OK\r\n__proto__: a\r\nConstructor: b\r\n\r\n");
    expect(Object.entries(headers)).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
  });
});

describe("HTTP response reader: invalid HTTP", () => {
  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  it.each([
    ["another protocol", "SSH-2.0-OpenSSH_9.6"],
    ["another version", "HTTP/2.0 200 OK\r\n\r\n"],
    ["a status that is none", "HTTP/1.1 2OO OK\r\n\r\n"],
    ["a header without a name", "HTTP/1.1 200 OK\r\n: b\r\n\r\n"],
    ["a folded header", "HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n"],
    ["a space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n"],
    ["a length that is no number", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"],
    ["another encoding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"],
    ["a chunk without a size", `${chunked}\r\n`],
    ["a size that is no number", `${chunked}0x5\r\n`],
    ["a size beyond all", `${chunked}fffffffffffff\r\n`],
    ["a chunk longer than its size", `${chunked}2\r\nhello\r\n`],
    ["a head without end", `HTTP/1.1 200 OK\r\na: ${"b".repeat(70_000)}`],
    ["a line of a chunk without end", `${chunked}5;${"b".repeat(5000)}`],
    ["a trailer without end", `${chunked}0\r\n${"a: b\r\n".repeat(20_000)}`],
  ])("%s", (_what, text) => {
    expect(() => readText(text)).toThrow(MalformedAnswerError);
  });
});
