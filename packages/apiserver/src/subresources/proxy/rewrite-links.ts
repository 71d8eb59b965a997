// Links of pages behind a proxy: those that lead to the server itself are led through the proxy.
import { posix } from "node:path";

export interface LinkContext {
  /** The path of the proxy, without what comes after it. */
  readonly prefix: string;
  /** The host that answered, as it is reached. */
  readonly host: string;
  /** The host that the client named. */
  readonly requestHost: string;
}

const url = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/s;

/** The link as a client of the proxy must follow it. Links to other hosts and relative ones stay as they are. */
export function rewriteLink(link: string, { prefix, host, requestHost }: LinkContext): string {
  const [, scheme, target, path = "", rest = ""] = url.exec(link) ?? [];
  const isElsewhere = target !== undefined && target !== "" && target !== host && target !== requestHost;
  if (isElsewhere || !path.startsWith("/")) return link;
  const isAsRequested = target !== undefined && target === requestHost;
  const origin = isAsRequested ? `${scheme === undefined ? "" : `${scheme}:`}//${target}` : "";
  if (path.startsWith(prefix)) return `${origin}${path}${rest}`;
  const joined = posix.join(prefix, path);
  return `${origin}${joined}${path.endsWith("/") && !joined.endsWith("/") ? "/" : ""}${rest}`;
}

/** Attributes of tags that are links. */
const linkAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "usemap", "formaction"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
};

/** Elements whose content is text, whatever it looks like. */
const textElements = new Set([
  "iframe",
  "noembed",
  "noframes",
  "noscript",
  "plaintext",
  "script",
  "style",
  "textarea",
  "title",
  "xmp",
]);

/** The page with its links rewritten. One pass: pages come from pods, and must not cost more than they are long. */
export function rewriteHtml(html: string, context: LinkContext): string {
  const pieces: string[] = [];
  let copied = 0;
  let at = 0;
  for (;;) {
    at = html.indexOf("<", at);
    if (at === -1) break;
    if (html.startsWith("<!--", at)) {
      at = indexAfter(html, "-->", at + 4);
    } else {
      tagName.lastIndex = at + 1;
      const name = tagName.exec(html)?.[0] ?? "";
      at += 1 + name.length;
      if (name === "") continue;
      at = eachAttribute(html, at, (key, start, end) => {
        if (!isLink(name, key)) return;
        pieces.push(html.slice(copied, start), rewriteLink(html.slice(start, end), context));
        copied = end;
      });
      if (textElements.has(name.toLowerCase())) at = endOfText(html, name, at);
    }
  }
  return pieces.join("") + html.slice(copied);
}

const tagName = /[a-z][^\s/>]*/iy;
const attribute = /[\s/]*(?:(>)|([^\s/>=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>"'][^\s>]*)?)?|[\s\S])/y;

/** Calls back with every attribute and where its value stands; says where the tag ends. */
function eachAttribute(
  html: string,
  from: number,
  onValue: (key: string, start: number, end: number) => void,
): number {
  attribute.lastIndex = from;
  for (let at = from; ; at = attribute.lastIndex) {
    const found = attribute.exec(html);
    if (!found) return html.length;
    const [whole, isEnd, key, value] = found;
    if (isEnd) return attribute.lastIndex;
    if (key === undefined || value === undefined) continue;
    const quote = /^["']/.test(value) ? 1 : 0;
    const end = at + whole.length;
    onValue(key.toLowerCase(), end - value.length + quote, end - quote);
  }
}

const isLink = (tag: string, key: string): boolean => {
  const name = tag.toLowerCase();
  return Object.hasOwn(linkAttributes, name) && linkAttributes[name]?.includes(key) === true;
};

function endOfText(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name.toLowerCase()}`, "gi");
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

function indexAfter(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from);
  return found === -1 ? text.length : found + wanted.length;
}
