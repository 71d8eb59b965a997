// The same value in the encodings a server reads, in unusual spellings.
import { encodeProtobuf } from "@kubewright/machinery";
import { stringify } from "yaml";
import type { Random } from "./random.js";
import { text } from "./values.js";

/** A value as JSON, sometimes with numbers, spaces or keys nobody expects. */
export function json(random: Random, value: unknown): string {
  const plain = JSON.stringify(value, undefined, random.chance(0.1) ? random.below(4) : 0) ?? "null";
  if (random.chance(0.9)) return plain;
  switch (random.below(6)) {
    case 4:
      return plain.replace(/\d+/, (digits) => digits.repeat(random.pick([30, 5_000, 100_000])));
    case 5:
      return plain.replace(
        /\d+/g,
        (digits) => `${digits}e${random.pick(["-", "+", ""])}${random.pick(["9", "400", "9".repeat(50)])}`,
      );
    case 0:
      return plain.replace(/\d+/g, (digits) => `${digits}.0e0`);
    case 1:
      return plain.replace(/"([^"\\]*)":/g, (found) => `${found}1,${found}`);
    case 2:
      return plain.replace(/,/g, " ,\n\t");
    default:
      return `${plain}${random.pick([" ", "x", "}", "\u0000", "{}"])}`;
  }
}

/** A value as YAML, sometimes with anchors, tags or other documents. */
export function yaml(random: Random, value: unknown): string {
  const plain = random.chance(0.5)
    ? JSON.stringify(value)
    : stringify(value, { aliasDuplicateObjects: random.chance(0.5) });
  if (random.chance(0.7)) return plain ?? "";
  switch (random.below(6)) {
    case 0:
      return `---\n${plain}\n---\n${text(random)}`;
    case 1:
      return `x: &a [1, 2]\ny: [${"*a, ".repeat(random.below(200))}*a]\n${plain}`;
    case 2:
      return plain.replace(
        /: (\w)/g,
        `: ${random.pick(["!!str ", "!!int ", "!!binary ", "!x ", "? ", "- ", "&a "])}$1`,
      );
    case 3:
      return plain.replaceAll("  ", random.pick(["\t", " ", "   "]));
    case 4:
      return `a: &a {b: 1}\nc:\n  <<: *a\n${plain}`;
    default:
      return `# ${text(random)}\n${plain}\n...\n`;
  }
}

/** A value as protobuf where it can be, otherwise fields by chance in the envelope of a kind. */
export function protobuf(random: Random, value: unknown, apiVersion: string, kind: string): Buffer {
  if (random.chance(0.6)) {
    try {
      const [group = "", version = group] = apiVersion.includes("/")
        ? apiVersion.split("/")
        : ["", apiVersion];
      return Buffer.from(
        encodeProtobuf(value as Parameters<typeof encodeProtobuf>[0], { group, version, kind }),
      );
    } catch {
      // What has a wrong type cannot be written this way.
    }
  }
  const type = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))]);
  return Buffer.concat([
    Buffer.from("k8s\0"),
    field(1, type),
    field(2, random.chance(0.02) ? deep(random) : message(random, 4)),
  ]);
}

/** Fields by chance, some of them messages again. */
function message(random: Random, levels: number): Buffer {
  const parts = random.times(random.below(levels === 4 && random.chance(0.02) ? 500 : 5), () => {
    const number = random.pick([1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 11, 13, 17, 99, 2 ** 29 - 1]);
    switch (random.below(12)) {
      case 0:
        return Buffer.concat([varint(number * 8), varint(random.pick([0, 1, 127, 128, 2 ** 31, 2 ** 53]))]);
      case 1:
        return Buffer.concat([
          varint(number * 8 + random.pick([1, 3, 4, 5, 6, 7])),
          Buffer.alloc(random.below(9), 0xff),
        ]);
      case 2:
        return Buffer.concat([varint(number * 8 + 2), varint(random.pick([1, 200, 2 ** 31, 2 ** 40]))]);
      case 3:
      case 4:
      case 5:
        return field(number, Buffer.from(text(random)));
      default:
        return field(number, levels > 0 ? message(random, levels - 1) : Buffer.from("sample"));
    }
  });
  return Buffer.concat(parts);
}

/** Messages in messages. */
function deep(random: Random): Buffer {
  const number = random.pick([1, 2, 3]);
  let inner: Buffer = Buffer.from("a");
  for (let level = random.pick([50, 300, 3_000]); level > 0; level--) inner = field(number, inner);
  return inner;
}

const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
