// `url('https://example.com/x').getHost()`.
import { price, scale } from "../cost.js";
import { type Costs, declare, globalOverload, type Library, memberOverload } from "../declarations.js";
import { isString, on1 } from "../guards.js";
import { boolType, listType, mapType, opaqueType, stringType } from "../types.js";
import { CelFailure } from "../values/failure.js";
import { CelMap } from "../values/map.js";
import { OpaqueValue } from "../values/opaque.js";
import { argSize, traversal } from "./prices.js";
import { typeConstant } from "./type-names.js";
import { hostname, type ParsedUrl, parseQuery, parseUrl, port, UrlProblem } from "./url-text.js";

class UrlValue extends OpaqueValue {
  readonly typeName = "kubernetes.URL";
  readonly url: ParsedUrl;

  constructor(url: ParsedUrl) {
    super();
    this.url = url;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && other.url.text === this.url.text;
  }
}

const urlType = opaqueType("kubernetes.URL");
const isUrl = (value: unknown): value is UrlValue => value instanceof UrlValue;

/** The parsed URL, or what is wrong with it. */
export function tryParseUrl(text: string): ParsedUrl | UrlProblem {
  try {
    return parseUrl(text);
  } catch (problem) {
    if (problem instanceof UrlProblem) return problem;
    throw problem;
  }
}

function toUrl(text: string): UrlValue {
  const parsed = tryParseUrl(text);
  if (parsed instanceof UrlProblem) {
    throw new CelFailure(`URL parse error during conversion from string: ${parsed.message}`);
  }
  return new UrlValue(parsed);
}

function query({ url }: UrlValue): CelMap {
  const map = new CelMap();
  for (const [key, values] of parseQuery(url.query)) map.insert(key, values);
  return map;
}

const parses: Costs = {
  cost: ([text]) => traversal(text),
  estimate: (call) => ({ cost: scale(argSize(call, 0), price.traversal), resultSize: argSize(call, 0) }),
};

const part = (name: string, id: string, read: (url: ParsedUrl) => string) =>
  declare(
    name,
    memberOverload(
      id,
      [urlType],
      stringType,
      on1(isUrl, ({ url }) => read(url)),
    ),
  );

/** Kubernetes' URL functions. */
export const urlLibrary: Library = {
  functions: [
    declare("url", globalOverload("string_to_url", [stringType], urlType, on1(isString, toUrl), parses)),
    declare(
      "isURL",
      globalOverload(
        "is_url_string",
        [stringType],
        boolType,
        on1(isString, (text) => !(tryParseUrl(text) instanceof UrlProblem)),
      ),
    ),
    part("getScheme", "url_get_scheme", (url) => url.scheme),
    part("getHost", "url_get_host", (url) => url.host),
    part("getHostname", "url_get_hostname", (url) => hostname(url.host)),
    part("getPort", "url_get_port", (url) => port(url.host)),
    part("getEscapedPath", "url_get_escaped_path", (url) => url.escapedPath),
    declare(
      "getQuery",
      memberOverload(
        "url_get_query",
        [urlType],
        mapType(stringType, listType(stringType)),
        on1(isUrl, query),
      ),
    ),
  ],
  constants: [typeConstant(urlType)],
};
