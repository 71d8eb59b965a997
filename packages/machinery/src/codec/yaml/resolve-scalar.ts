/** A scalar; integers come as bigint, so that none is rounded unseen. */
export type YamlScalar = string | number | bigint | boolean | null;

const words: ReadonlyMap<string, YamlScalar> = new Map<string, YamlScalar>([
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(
    (word) => [word, true] as const,
  ),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(
    (word) => [word, false] as const,
  ),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map(
    (word) => [word, Number.POSITIVE_INFINITY] as const,
  ),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, Number.NaN] as const),
]);

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);
const uint64Max = 2n ** 64n - 1n;
const floatShape = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** The value of an unquoted scalar. */
export function resolvePlain(text: string): YamlScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return text;
  const digits = text.replaceAll("_", "");
  return parseInteger(digits) ?? parseFloat64(digits) ?? text;
}

/** The value of a scalar with a tag of the core schema; undefined when the tag is none of these. */
export function resolveTagged(text: string, tag: string): YamlScalar | undefined {
  switch (tag) {
    case "tag:yaml.org,2002:str":
      return text;
    case "tag:yaml.org,2002:binary":
      return Buffer.from(text, "base64").toString("utf8");
    case "tag:yaml.org,2002:int":
    case "tag:yaml.org,2002:float":
    case "tag:yaml.org,2002:bool":
    case "tag:yaml.org,2002:null":
    case "tag:yaml.org,2002:timestamp":
      return resolvePlain(text);
    default:
      return undefined;
  }
}

/** No integer of 64 bits is longer, with its sign and base, once zeros in front are left out. */
const longestInteger = 67;

/** Reading a great many digits exactly takes time that grows with their square: what has too many is no integer here. */
function parseInteger(digits: string): bigint | undefined {
  const text = digits.length > longestInteger ? digits.replace(/^([-+]?(?:0[xbo])?)0+/, "$10") : digits;
  if (text.length > longestInteger) return undefined;
  const match = /^([-+]?)(?:0x([0-9a-fA-F]+)|0b([01]+)|0o?([0-7]+)|(0|[1-9][0-9]*))$/.exec(text);
  if (!match) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  const magnitude =
    hex !== undefined
      ? BigInt(`0x${hex}`)
      : binary !== undefined
        ? BigInt(`0b${binary}`)
        : octal !== undefined
          ? BigInt(`0o${octal}`)
          : BigInt(decimal ?? 0);
  const value = sign === "-" ? -magnitude : magnitude;
  if (value >= int64Min && value <= int64Max) return value;
  return sign === "" && value <= uint64Max ? value : undefined;
}

function parseFloat64(text: string): number | undefined {
  if (!floatShape.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
