// `cidr('10.0.0.0/8')`.
import { add, type CallEstimate, fixed, price, scale } from "../cost.js";
import { type Costs, declare, globalOverload, type Library, memberOverload } from "../declarations.js";
import { isString, on1, on2 } from "../guards.js";
import { boolType, intType, stringType } from "../types.js";
import { sizeOf } from "../values/value.js";
import { contains, formatIp, type IpNetwork, masked, parseCidr } from "./ip-address.js";
import {
  CidrValue,
  cidrType,
  IpValue,
  ipType,
  isCidrValue,
  isIpValue,
  requireCidr,
  requireIp,
} from "./network-values.js";
import { argSize, traversal, walksArgument } from "./prices.js";
import { typeConstant } from "./type-names.js";

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

const formatCidr = ({ address, prefix }: IpNetwork): string => `${formatIp(address)}/${prefix}`;

/** Kubernetes' network functions. */
export const cidrLibrary: Library = {
  functions: [
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

    declare(
      "ip",
      memberOverload(
        "cidr_ip",
        [cidrType],
        ipType,
        on1(isCidrValue, ({ network }) => new IpValue(network.address)),
      ),
    ),
    declare(
      "string",
      globalOverload(
        "cidr_to_string",
        [cidrType],
        stringType,
        on1(isCidrValue, ({ network }) => formatCidr(network)),
      ),
    ),
  ],
  constants: [typeConstant(cidrType)],
};
