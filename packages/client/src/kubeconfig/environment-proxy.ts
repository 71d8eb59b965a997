// The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, for clusters without a proxy-url; the rules are those of Go's
// net/http, which kubectl follows. This machine itself is never reached through a proxy.
import { BlockList, isIP } from "node:net";
import type { Environment } from "./kubeconfig.js";

/** The address of the proxy for a server; undefined for a direct connection. */
export function environmentProxy(server: string, env: Environment): string | undefined {
  const url = new URL(server);
  const variable = (name: string): string => env[name] || env[name.toLowerCase()] || "";
  const proxy = variable(url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (proxy === "" || isExempt(url, variable("NO_PROXY"))) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (host === "localhost" || isWithin(host, "127.0.0.0/8") || host === "::1") return true;
  return list.split(",").some((entry) => matches(entry.trim().toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "") return false;
  if (entry === "*" || entry === host) return true;
  if (entry.includes("/")) return isWithin(host, entry);
  const [, name = entry, only] = /^(.*[^:]):(\d+)$/.exec(entry) ?? [];
  if (only !== undefined && only !== port) return false;
  // `example.com` is that name and all below it, `.example.com` only those below it.
  const below = name.replace(/^\*?\./, "");
  return (name === below && host === name) || host.endsWith(`.${below}`);
}

/** True for an address in a block such as `10.0.0.0/8`. */
function isWithin(host: string, block: string): boolean {
  const [network = "", prefix = ""] = block.split("/");
  const family = isIP(network) === 6 ? "ipv6" : "ipv4";
  if (isIP(host) === 0 || isIP(host) !== isIP(network) || !/^\d+$/.test(prefix)) return false;
  if (Number(prefix) > (family === "ipv6" ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return list.check(host, family);
}
