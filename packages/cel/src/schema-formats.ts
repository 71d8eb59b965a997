// Strings whose format says that they are something else: bytes, dates, durations.
import { CelFailure } from "./values/failure.js";
import { Duration, parseDuration, parseTimestamp } from "./values/temporal.js";
import type { Shape } from "./values/view.js";

function reader(problem: (text: string) => string, parse: (text: string) => unknown): Shape {
  return {
    isPlain: false,
    read(json) {
      if (typeof json !== "string") throw new CelFailure(`invalid data, expected string, got ${typeof json}`);
      const value = parse(json);
      if (value === undefined) throw new CelFailure(problem(json.slice(0, 100)));
      return value;
    },
  };
}

/** `format: byte`. */
export const readBytes = reader(
  (text) => `Invalid byte formatted string ${text}`,
  (text) =>
    /^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/.test(text) ? Uint8Array.from(Buffer.from(text, "base64")) : undefined,
);

/** `format: date`. */
export const readDate = reader(
  (text) => `Invalid date formatted string ${text}`,
  (text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined),
);

/** `format: date-time`, with or without a zone. */
export const readDateTime = reader(
  (text) => `Invalid date-time formatted string ${text}`,
  (text) => parseTimestamp(text) ?? parseTimestamp(`${text}Z`),
);

const billion = 1_000_000_000n;
const words: readonly (readonly [pattern: RegExp, nanos: bigint])[] = [
  [/^n(?:s|anos?)$/, 1n],
  [/^(?:u|µ|μ)s$|^micros?$/, 1000n],
  [/^ms$|^millis?$/, 1_000_000n],
  [/^s(?:ecs?)?$/, billion],
  [/^m(?:ins?)?$/, 60n * billion],
  [/^h(?:rs?|ours?)?$/, 3600n * billion],
  [/^d(?:ays?)?$/, 86_400n * billion],
  [/^w(?:ks?|eeks?)?$/, 604_800n * billion],
];

/** Durations in a schema may be written in words too: `2 days`. */
function parseWords(text: string): Duration | undefined {
  const parts = text.length > 100 ? [] : [...text.matchAll(/(\d+)\s*([A-Za-zµμ]+)/g)];
  if (parts.length === 0) return undefined;
  let total = 0n;
  for (const [, amount = "0", word = ""] of parts) {
    const unit = words.find(([pattern]) => pattern.test(word.toLowerCase()));
    if (unit === undefined) return undefined;
    total += BigInt(amount) * unit[1];
  }
  return new Duration(total);
}

/** `format: duration`. */
export const readDuration = reader(
  (text) => `Invalid duration ${text}`,
  (text) => parseDuration(text) ?? parseWords(text),
);
