// What people at a terminal see: colours, but none for programs, for NO_COLOR and for terminals that have none; and nothing that a text
// from a cluster, a file or a registry would have the terminal do.

/** Functions that colour a text, or leave it as it is. */
export type Colours = Readonly<Record<keyof typeof codes, (text: string) => string>>;

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Colours as a stream and the environment allow. */
export function coloursFor(
  stream: { readonly isTTY?: boolean | undefined } = process.stdout,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Colours {
  const on = hasColours(stream, environment);
  const paint = (code: number) => (text: string) => (on ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    bold: paint(codes.bold),
    dim: paint(codes.dim),
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
    cyan: paint(codes.cyan),
  };
}

function hasColours(
  stream: { readonly isTTY?: boolean | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  if (environment["NO_COLOR"]) return false;
  if (environment["FORCE_COLOR"] && environment["FORCE_COLOR"] !== "0") return true;
  return stream.isTTY === true && environment["TERM"] !== "dumb";
}

const escapeCode = 0x1b;
const colour = /^\[\d{1,2}m/;

/**
 * The text with control characters spelled out, as kubectl does: `^[` for the one that begins a command to the terminal. Ends of lines, tabs
 * and our own colours stay.
 */
export function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (character, at: number) => {
    const code = character.charCodeAt(0);
    const isOurs = code === escapeCode && colour.test(text.slice(at + 1, at + 5));
    if (character === "\n" || character === "\t" || isOurs) return character;
    if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
    return code === 0x7f ? "^?" : `\\x${code.toString(16)}`;
  });
}
