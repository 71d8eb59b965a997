// IP addresses and networks as values.
import { goQuote } from "@kubewright/api";
import { opaqueType } from "../types.js";
import { CelFailure } from "../values/failure.js";
import { OpaqueValue } from "../values/opaque.js";
import { type IpAddress, type IpNetwork, parseCidr, parseIp } from "./ip-address.js";

/** An address. */
export class IpValue extends OpaqueValue {
  readonly typeName = "net.IP";
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    super();
    this.address = address;
  }

  equals(other: OpaqueValue): boolean {
    if (!(other instanceof IpValue)) return false;
    return other.address.family === this.address.family && other.address.bits === this.address.bits;
  }

  override get size(): number {
    return this.address.family === 4 ? 4 : 16;
  }
}

/** A network. */
export class CidrValue extends OpaqueValue {
  readonly typeName = "net.CIDR";
  readonly network: IpNetwork;

  constructor(network: IpNetwork) {
    super();
    this.network = network;
  }

  equals(other: OpaqueValue): boolean {
    if (!(other instanceof CidrValue) || other.network.prefix !== this.network.prefix) return false;
    return new IpValue(other.network.address).equals(new IpValue(this.network.address));
  }

  override get size(): number {
    return Math.ceil(this.network.prefix / 8);
  }
}

/** The type of `ip(…)`. */
export const ipType = opaqueType("net.IP");
/** The type of `cidr(…)`. */
export const cidrType = opaqueType("net.CIDR");
/** Takes addresses. */
export const isIpValue = (value: unknown): value is IpValue => value instanceof IpValue;
/** Takes networks. */
export const isCidrValue = (value: unknown): value is CidrValue => value instanceof CidrValue;

/** The address a text says; fails as an evaluation does. */
export function requireIp(text: string): IpAddress {
  const parsed = parseIp(text);
  const quoted = goQuote(text.slice(0, 100));
  if (parsed === "zone") throw new CelFailure(`IP address ${quoted} with zone value is not allowed`);
  if (parsed === "mapped") throw new CelFailure(`IPv4-mapped IPv6 address ${quoted} is not allowed`);
  if (parsed === undefined) {
    throw new CelFailure(
      `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): unable to parse IP`,
    );
  }
  return parsed;
}

/** The network a text says; fails as an evaluation does. */
export function requireCidr(text: string): IpNetwork {
  const parsed = parseCidr(text);
  if (parsed === undefined) {
    const problem = "network address parse error during conversion from string";
    throw new CelFailure(
      `${problem}: ${problem}: netip.ParsePrefix(${goQuote(text.slice(0, 100))}): unable to parse`,
    );
  }
  return parsed;
}
