// `ip('10.0.0.1')` and `cidr('10.0.0.0/8')`.
import { goQuote } from "@kubewright/api";
import { add, type CallEstimate, fixed, price, scale } from "../cost.js";
import { type Costs, declare, globalOverload, type Library, memberOverload } from "../declarations.js";
import { isString, on1, on2 } from "../guards.js";
import { boolType, intType, opaqueType, stringType, typeType } from "../types.js";
import { CelFailure } from "../values/failure.js";
import { OpaqueValue, TypeValue } from "../values/opaque.js";
import { sizeOf } from "../values/value.js";
import {
  contains,
  formatIp,
  type IpAddress,
  type IpNetwork,
  isGlobalUnicast,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
  masked,
  parseCidr,
  parseIp,
} from "./ip-address.js";
import { argSize, traversal, walksArgument } from "./prices.js";

class IpValue extends OpaqueValue {
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

class CidrValue extends OpaqueValue {
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

const ipType = opaqueType("net.IP");
const cidrType = opaqueType("net.CIDR");
const isIpValue = (value: unknown): value is IpValue => value instanceof IpValue;
const isCidrValue = (value: unknown): value is CidrValue => value instanceof CidrValue;

function requireIp(text: string): IpAddress {
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

function requireCidr(text: string): IpNetwork {
  const parsed = parseCidr(text);
  if (parsed === undefined) {
    const problem = "network address parse error during conversion from string";
    throw new CelFailure(
      `${problem}: ${problem}: netip.ParsePrefix(${goQuote(text.slice(0, 100))}): unable to parse`,
    );
  }
  return parsed;
}

function containsNetwork(outer: IpNetwork, inner: IpNetwork): boolean {
  return outer.prefix <= inner.prefix && contains(outer, inner.address);
}

/** Addresses are 4 or 16 bytes. */
const bytes = { min: 4, max: 16 };

function compares(isNetwork: boolean, isText: boolean): Costs {
  return {
    cost: ([cidr, other]) =>
      Math.ceil(2 * sizeOf(cidr) * price.traversal) +
      (isNetwork ? traversal(cidr) + 1 : 0) +
      (isText ? traversal(other) : 0),
    estimate(call): CallEstimate {
      const compared = scale(add(bytes, bytes), price.traversal);
      const again = isNetwork ? add(scale(bytes, price.traversal), fixed(1)) : fixed(0);
      const parsed = isText ? scale(argSize(call, 0), price.traversal) : fixed(0);
      return { cost: add(add(compared, again), parsed) };
    },
  };
}

const ipTest = (name: string, id: string, test: (address: IpAddress) => boolean) =>
  declare(
    name,
    memberOverload(
      id,
      [ipType],
      boolType,
      on1(isIpValue, ({ address }) => test(address)),
    ),
  );

const ipFunctions = [
  declare(
    "ip",
    globalOverload(
      "string_to_ip",
      [stringType],
      ipType,
      on1(isString, (text) => new IpValue(requireIp(text))),
      walksArgument,
    ),
    memberOverload(
      "cidr_ip",
      [cidrType],
      ipType,
      on1(isCidrValue, ({ network }) => new IpValue(network.address)),
    ),
  ),
  declare(
    "isIP",
    globalOverload(
      "is_ip",
      [stringType],
      boolType,
      on1(isString, (text) => typeof parseIp(text) === "object"),
      walksArgument,
    ),
  ),
  declare(
    "ip.isCanonical",
    globalOverload(
      "ip_is_canonical",
      [stringType],
      boolType,
      on1(isString, (text) => formatIp(requireIp(text)) === text),
      {
        cost: ([text]) => traversal(text, 2),
        estimate: (call) => ({ cost: scale(argSize(call, 0), 2 * price.traversal) }),
      },
    ),
  ),
  declare(
    "family",
    memberOverload(
      "ip_family",
      [ipType],
      intType,
      on1(isIpValue, ({ address }) => address.family),
    ),
  ),
  ipTest("isUnspecified", "ip_is_unspecified", isUnspecified),
  ipTest("isLoopback", "ip_is_loopback", isLoopback),
  ipTest("isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast),
  ipTest("isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast),
  ipTest("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
];

const formatCidr = ({ address, prefix }: IpNetwork): string => `${formatIp(address)}/${prefix}`;

const cidrFunctions = [
  declare(
    "cidr",
    globalOverload(
      "string_to_cidr",
      [stringType],
      cidrType,
      on1(isString, (text) => new CidrValue(requireCidr(text))),
      walksArgument,
    ),
  ),
  declare(
    "isCIDR",
    globalOverload(
      "is_cidr",
      [stringType],
      boolType,
      on1(isString, (text) => parseCidr(text) !== undefined),
      walksArgument,
    ),
  ),
  declare(
    "containsIP",
    memberOverload(
      "cidr_contains_ip_string",
      [cidrType, stringType],
      boolType,
      on2(isCidrValue, isString, ({ network }, text) => contains(network, requireIp(text))),
      compares(false, true),
    ),
    memberOverload(
      "cidr_contains_ip_ip",
      [cidrType, ipType],
      boolType,
      on2(isCidrValue, isIpValue, ({ network }, { address }) => contains(network, address)),
      compares(false, false),
    ),
  ),
  declare(
    "containsCIDR",
    memberOverload(
      "cidr_contains_cidr_string",
      [cidrType, stringType],
      boolType,
      on2(isCidrValue, isString, ({ network }, text) => containsNetwork(network, requireCidr(text))),
      compares(true, true),
    ),
    memberOverload(
      "cidr_contains_cidr",
      [cidrType, cidrType],
      boolType,
      on2(isCidrValue, isCidrValue, (a, b) => containsNetwork(a.network, b.network)),
      compares(true, false),
    ),
  ),
  declare(
    "prefixLength",
    memberOverload(
      "cidr_prefix_length",
      [cidrType],
      intType,
      on1(isCidrValue, ({ network }) => network.prefix),
    ),
  ),
  declare(
    "masked",
    memberOverload(
      "cidr_masked",
      [cidrType],
      cidrType,
      on1(isCidrValue, ({ network }) => new CidrValue(masked(network))),
    ),
  ),
];

/** Kubernetes' address and network functions. */
export const networkLibrary: Library = {
  functions: [
    ...ipFunctions,
    ...cidrFunctions,
    declare(
      "string",
      globalOverload(
        "ip_to_string",
        [ipType],
        stringType,
        on1(isIpValue, ({ address }) => formatIp(address)),
      ),
      globalOverload(
        "cidr_to_string",
        [cidrType],
        stringType,
        on1(isCidrValue, ({ network }) => formatCidr(network)),
      ),
    ),
  ],
  constants: [ipType, cidrType].map((type) => ({
    name: type.name,
    type: typeType(type),
    value: new TypeValue(type.name),
  })),
};
