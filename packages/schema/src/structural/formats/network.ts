// Addresses as Go's net package parses them. Leading zeros in IPv4 are taken, as Kubernetes does for what was stored long ago.

const decimalByte = /^\d{1,}$/;

/** Four decimal numbers up to 255. */
function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return (
    parts.length === 4 &&
    parts.every((part) => decimalByte.test(part) && part.length <= 16 && Number(part) <= 255)
  );
}

/** Eight groups of hexadecimal digits, `::` for a run of zeros, perhaps IPv4 at the end; no zone. */
export function isIpv6(text: string): boolean {
  if (!text.includes(":")) return false;
  const sides = text.split("::");
  if (sides.length > 2) return false;
  const groups = sides.map((side) => (side === "" ? [] : side.split(":")));
  const last = groups.at(-1);
  const flat = groups.flat();
  const ipv4 = last?.at(-1)?.includes(".") === true ? flat.pop() : undefined;
  if (ipv4 !== undefined && !isIpv4(ipv4)) return false;
  if (!flat.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  const count = flat.length + (ipv4 === undefined ? 0 : 2);
  return sides.length === 2 ? count < 8 : count === 8;
}

/** Format `ipv4`: an address that parses and is written with dots (so `::ffff:1.2.3.4` passes too). */
export const isIpv4Format = (text: string): boolean => text.includes(".") && (isIpv4(text) || isIpv6(text));

/** An address and a prefix length. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const prefix = text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(prefix)) return false;
  if (isIpv4(address)) return Number(prefix) <= 32;
  return isIpv6(address) && Number(prefix) <= 128;
}

const macForms = [
  /^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2})+$/,
  /^[0-9a-fA-F]{2}(-[0-9a-fA-F]{2})+$/,
  /^[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+$/,
];

/** 6, 8 or 20 bytes with colons, dashes or dots. */
export function isMac(text: string): boolean {
  if (text.length > 59 || !macForms.some((form) => form.test(text))) return false;
  return [12, 16, 40].includes(text.replace(/[:.-]/g, "").length);
}

const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|([a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u;

/** An Internet host name: labels of up to 63 bytes, 255 in all, a top-level domain of letters. */
export function isHostname(text: string): boolean {
  if (text.length > 255 || Buffer.byteLength(text) > 255 || !hostname.test(text)) return false;
  return text.split(".").every((label) => Buffer.byteLength(label) <= 63);
}

const controlCharacter = /\p{Cc}/u;
const badEscape = /%(?![0-9a-fA-F]{2})/;

/** A URI as `url.ParseRequestURI` takes it: absolute, or a path from the root. */
export function isRequestUri(text: string): boolean {
  if (text === "" || controlCharacter.test(text)) return false;
  const [beforeQuery = ""] = text.split("?", 1);
  if (badEscape.test(beforeQuery)) return false;
  if (text.startsWith("/")) return true;
  if (text === "*") return true;
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0];
  if (scheme === undefined) return false;
  const rest = beforeQuery.slice(scheme.length);
  return !rest.startsWith("//") || isAuthority(rest.slice(2).split("/", 1)[0] ?? "");
}

/** `[user[:password]@]host[:port]`. */
function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf("@");
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) return false;
  const host = authority.slice(at + 1);
  if (host.startsWith("[")) return /^\[[^\]]*\](:\d*)?$/.test(host);
  return /^[^\s[\]<>"\\^`{|}:]*(:\d*)?$/.test(host);
}
