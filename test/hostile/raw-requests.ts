// What no client library would send: requests as bytes on a connection, and connections that end in the middle.
import type { Random } from "./random.js";
import { upgrade } from "./subresources.js";
import { path, query } from "./texts.js";
import { text } from "./values.js";

/** Bytes for one connection, and how the client leaves. */
export interface RawRequest {
  readonly parts: readonly Buffer[];
  /** Ends its half and waits, is gone at once, stays for a moment, or reads nothing and stays. */
  readonly leave: "end" | "destroy" | "stay" | "deaf";
  /** Milliseconds between two parts. */
  readonly pause: number;
}

const line = (random: Random): string =>
  `${random.pick(["GET", "POST", "PATCH", "get", "CONNECT", "PRI", "\u0000"])} ${random.chance(0.7) ? "/api/v1/namespaces/default/configmaps" : path(random)} HTTP/${random.pick(["1.1", "1.1", "1.1", "1.0", "2.0", "9"])}\r\n`;

const common = (authorization: string): string => `host: x\r\nauthorization: ${authorization}\r\n`;

type Way = (random: Random, authorization: string) => string;

const ways: readonly Way[] = [
  // Cut off anywhere.
  (random, authorization) => {
    const whole = `${line(random)}${common(authorization)}content-length: 20\r\n\r\n{"kind":"ConfigMap"}!`;
    return whole.slice(0, random.below(whole.length));
  },
  // Lengths that are not true.
  (random, authorization) =>
    `${line(random)}${common(authorization)}content-length: ${random.pick(["0", "5", "-1", "99999999999", "1, 2", "x"])}\r\n\r\n{"a":1}`,
  // Chunks that are not.
  (random, authorization) =>
    `${line(random)}${common(authorization)}transfer-encoding: ${random.pick(["chunked", "chunked, chunked", "gzip"])}\r\n\r\n${random.pick(["5\r\n{}\r\n", "ffffffffffff\r\n", "2;a=b\r\n{}\r\n0\r\n\r\n", "-1\r\n", "0\r\nx: y\r\n\r\n", "x"])}`,
  // Both at once.
  (_random, authorization) =>
    `POST /api/v1/namespaces HTTP/1.1\r\n${common(authorization)}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
  // Many at once.
  (random, authorization) =>
    `GET /api/v1/namespaces/default/pods?limit=1 HTTP/1.1\r\n${common(authorization)}\r\n`.repeat(
      1 + random.below(60),
    ),
  // Headers without end.
  (random, authorization) =>
    `${line(random)}${common(authorization)}${random.pick(["x: y\r\n", `${"a".repeat(300)}: b\r\n`, "cookie: a=b\r\n"]).repeat(random.pick([10, 500, 3_000]))}\r\n`,
  (random, authorization) => `${line(random)}${common(authorization)}x: ${text(random)}\r\n\r\n`,
  (random, authorization) =>
    `GET /api/v1/pods?${random.pick(["a=b&", "labelSelector=a%00&", "%"]).repeat(random.pick([100, 20_000]))} HTTP/1.1\r\n${common(authorization)}\r\n`,
  (random, authorization) =>
    `GET ${path(random)}?${String(query(random)).slice(0, 8_000)} HTTP/1.1\r\n${common(authorization)}${Object.entries(
      upgrade(random),
    )
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}\r\n\u0081\u00fe\u00ff\u00ff\u0000\u0000`,
  (random, authorization) =>
    `GET /api/v1/namespaces/default/pods/sample/exec?command=a&stdin=true HTTP/1.1\r\n${common(authorization)}${Object.entries(
      upgrade(random),
    )
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}\r\n${text(random)}`,
  (_random) => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000",
  (random) => random.times(random.below(400), () => String.fromCharCode(random.below(256))).join(""),
  (random, authorization) =>
    `${line(random)}${common(authorization)}expect: 100-continue\r\ncontent-length: 10\r\n\r\n`,
  // A watch whose client goes.
  (_random, authorization) =>
    `GET /api/v1/namespaces/default/pods?watch=true HTTP/1.1\r\n${common(authorization)}\r\n`,
];

/** What to do with one connection. */
export function rawRequest(random: Random, authorization: string): RawRequest {
  const bytes = Buffer.from(random.pick(ways)(random, authorization), "latin1");
  const isSlow = random.chance(0.2);
  const size = isSlow ? Math.ceil((bytes.length + 1) / 8) : 1 + random.below(bytes.length + 1);
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += size) parts.push(bytes.subarray(from, from + size));
  const leave = random.pick(["end", "destroy", "stay", "deaf"] as const);
  // In many parts that come at once, or in a few that do not.
  return { parts: parts.slice(0, 64), leave, pause: isSlow ? 5 : 0 };
}
