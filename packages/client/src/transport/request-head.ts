// The first lines of an HTTP/1.1 request. What could be read as another line, or another request, is not sent.
import { ConfigError } from "../config-error.js";

/** The parts of a request head. */
export interface RequestHead {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Bytes of the body; undefined when there is none. */
  readonly bodyLength: number | undefined;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const text = /^[\t\x20-\x7e\x80-\xff]*$/;
const path = /^[\x21-\x7e\x80-\xff]+$/;

/** The lines as they are sent, in latin1. Throws a ConfigError that names the header that cannot be sent, not its value. */
export function requestHead({ method, target, host, headers, bodyLength }: RequestHead): string {
  if (!token.test(method) || !path.test(target)) throw new ConfigError("the path holds what cannot be sent");
  const all = {
    host,
    ...headers,
    ...(bodyLength === undefined ? {} : { "content-length": String(bodyLength) }),
  };
  const lines = [`${method} ${target} HTTP/1.1`];
  for (const [name, values] of Object.entries(all)) {
    if (!token.test(name)) throw new ConfigError("a header has a name that cannot be sent");
    for (const value of typeof values === "string" ? [values] : values) {
      if (!text.test(value)) throw new ConfigError(`the header ${name} holds what cannot be sent`);
      lines.push(`${name}: ${value}`);
    }
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}
