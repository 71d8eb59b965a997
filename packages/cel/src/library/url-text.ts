// URLs as Go's `net/url` reads them for a request: absolute, or an absolute path.

/** The parts of a URL. */
export interface ParsedUrl {
  readonly scheme: string;
  /** With port, without credentials. */
  readonly host: string;
  readonly escapedPath: string;
  /** After the question mark, undecoded. */
  readonly query: string;
  /** The whole URL, written out again. */
  readonly text: string;
}

/** A URL that cannot be parsed. */
export class UrlProblem {
  readonly message: string;

  constructor(url: string, message: string) {
    this.message = `parse ${JSON.stringify(url)}: ${message}`;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const control = /[\x00-\x1f\x7f]/;
const badEscape = /%(?![0-9a-fA-F]{2})/;
/** Characters that stand in a path as they are. */
const plainInPath = /[^A-Za-z0-9\-_.~$&+,/:;=@]/gu;
const validPath = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]/]|%[0-9a-fA-F]{2})*$/;
const validHost = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]|[\u0080-\uffff]|%(?:[89a-fA-F][0-9a-fA-F]))*$/;
const validUser = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;

/** Parses an absolute URL or path; throws a UrlProblem. */
export function parseUrl(url: string): ParsedUrl {
  const fail = (message: string): never => {
    throw new UrlProblem(url, message);
  };
  if (control.test(url)) fail("net/url: invalid control character in URL");
  if (url === "") fail("empty url");
  const [base = "", fragment] = cut(url, "#");
  if (fragment !== undefined && badEscape.test(fragment)) fail("invalid URL escape");
  const { scheme, rest } = splitScheme(base, fail);
  const [location = "", query = ""] = cut(rest, "?");
  if (!location.startsWith("/")) {
    if (scheme === "") return fail("invalid URI for request");
    return { scheme, host: "", escapedPath: "", query, text: url };
  }
  const { host, path } = scheme !== "" ? splitHost(location, fail) : { host: "", path: location };
  const wrong = badEscape.exec(path);
  if (wrong !== null) fail(`invalid URL escape ${JSON.stringify(path.slice(wrong.index, wrong.index + 3))}`);
  return { scheme, host, escapedPath: escapePath(path), query, text: url };
}

function cut(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function splitScheme(url: string, fail: (message: string) => never): { scheme: string; rest: string } {
  if (url.startsWith(":")) fail("missing protocol scheme");
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url);
  if (match === null) return { scheme: "", rest: url };
  return { scheme: (match[1] ?? "").toLowerCase(), rest: url.slice(match[0].length) };
}

function splitHost(location: string, fail: (message: string) => never): { host: string; path: string } {
  if (!location.startsWith("//")) return { host: "", path: location };
  const slash = location.indexOf("/", 2);
  const authority = slash < 0 ? location.slice(2) : location.slice(2, slash);
  const at = authority.lastIndexOf("@");
  if (at >= 0 && !validUser.test(authority.slice(0, at))) fail("net/url: invalid userinfo");
  const host = authority.slice(at + 1);
  checkHost(host, fail);
  return { host, path: slash < 0 ? "" : location.slice(slash) };
}

function checkHost(host: string, fail: (message: string) => never): void {
  const bracket = host.lastIndexOf("]");
  if (host.startsWith("[") && bracket < 0) fail("missing ']' in host");
  const port = host.startsWith("[") ? host.slice(bracket + 1) : host.slice(lastColon(host));
  if (port !== "" && !/^:\d*$/.test(port)) fail(`invalid port ${JSON.stringify(port)} after host`);
  const odd = badEscape.exec(host);
  if (odd !== null) fail(`invalid URL escape ${JSON.stringify(host.slice(odd.index, odd.index + 3))}`);
  if (!validHost.test(host)) fail(`invalid character in host name`);
}

const lastColon = (host: string): number => (host.includes(":") ? host.lastIndexOf(":") : host.length);

function escapePath(path: string): string {
  if (validPath.test(path)) return path;
  return decode(path, false).replace(plainInPath, (character) =>
    encodeURIComponent(character).replace(/[!'()*]/g, percent),
  );
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Decodes percent escapes; what is no valid UTF-8 is left as it is. */
function decode(text: string, plusIsSpace: boolean): string {
  const spaced = plusIsSpace ? text.replaceAll("+", " ") : text;
  return spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}

/** The values of a query, by key, in the order they were written. */
export function parseQuery(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";") || badEscape.test(pair)) continue;
    const [key = "", value = ""] = cut(pair, "=");
    const name = decode(key, true);
    values.set(name, [...(values.get(name) ?? []), decode(value, true)]);
  }
  return values;
}

/** The host without port and brackets. */
export function hostname(host: string): string {
  const bare = host.startsWith("[") ? host.slice(1, host.lastIndexOf("]")) : host.replace(/:\d*$/, "");
  return bare;
}

/** The port of a host, empty when there is none. */
export function port(host: string): string {
  return /:(\d*)$/.exec(host.startsWith("[") ? host.slice(host.lastIndexOf("]") + 1) : host)?.[1] ?? "";
}
