// `ip('10.0.0.1')`.
import { price, scale } from "../cost.js";
import { declare, globalOverload, type Library, memberOverload } from "../declarations.js";
import { isString, on1 } from "../guards.js";
import { boolType, intType, stringType } from "../types.js";
import {
  formatIp,
  type IpAddress,
  isGlobalUnicast,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
  parseIp,
} from "./ip-address.js";
import { IpValue, ipType, isIpValue, requireIp } from "./network-values.js";
import { argSize, traversal, walksArgument } from "./prices.js";
import { typeConstant } from "./type-names.js";

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

/** Kubernetes' address functions. */
export const ipLibrary: Library = {
  functions: [
    declare(
      "ip",
      globalOverload(
        "string_to_ip",
        [stringType],
        ipType,
        on1(isString, (text) => new IpValue(requireIp(text))),
        walksArgument,
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

    declare(
      "string",
      globalOverload(
        "ip_to_string",
        [ipType],
        stringType,
        on1(isIpValue, ({ address }) => formatIp(address)),
      ),
    ),
  ],
  constants: [typeConstant(ipType)],
};
