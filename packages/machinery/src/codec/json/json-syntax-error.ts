// Clients and tests match the texts Go's scanner gives for broken JSON, so ours are the same.

/** The text is not JSON. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/** The error for a byte that cannot stand where it stands, or for the end of the text. */
export function unexpectedByte(byte: number | undefined, where: string): JsonSyntaxError {
  if (byte === undefined) return new JsonSyntaxError("unexpected end of JSON input");
  return new JsonSyntaxError(`invalid character ${quoteByte(byte)} ${where}`);
}

const namedEscapes: ReadonlyMap<number, string> = new Map([
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0b, "\\v"],
  [0x0c, "\\f"],
  [0x0d, "\\r"],
  [0x27, "\\'"],
  [0x5c, "\\\\"],
]);

/** Go looks at single bytes, so the bytes of a multi-byte character show as Latin-1. */
function quoteByte(byte: number): string {
  const named = namedEscapes.get(byte);
  if (named !== undefined) return `'${named}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${hex(byte, 2)}'`;
  if ((byte >= 0x80 && byte <= 0xa0) || byte === 0xad) return `'\\u${hex(byte, 4)}'`;
  return `'${String.fromCharCode(byte)}'`;
}

function hex(byte: number, width: number): string {
  return byte.toString(16).padStart(width, "0");
}
