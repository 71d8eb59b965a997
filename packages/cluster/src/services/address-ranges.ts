// The test that an address lies in a CIDR.
import { BlockList, isIP } from "node:net";

/** True when one of the ranges, such as `10.96.0.0/16`, has the address; what is no range has none. */
export function isWithin(address: string, ranges: readonly string[]): boolean {
  const family = familyOf(address);
  if (!family) return false;
  return ranges.some((range) => {
    const [network = "", prefix = ""] = range.split("/");
    if (familyOf(network) !== family || !/^\d{1,3}$/.test(prefix)) return false;
    const list = new BlockList();
    list.addSubnet(network, Number(prefix), family);
    return list.check(address, family);
  });
}

/** How many bits of a range are fixed. */
export function prefixOf(range: string): number {
  return Number(range.split("/")[1] ?? 0);
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? "ipv4" : "ipv6";
}
