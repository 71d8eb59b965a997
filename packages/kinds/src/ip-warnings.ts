// Addresses and ranges that are right but not written as they should be.
import { boundsOf, formatAddress, parseAddress, parseRange } from "./network/ip.js";

/** Warnings for an address that was accepted. */
export function ipWarnings(text: string, field: string): string[] {
  const address = parseAddress(text);
  if (!address) return [];
  const canonical = formatAddress(address);
  if (address.leadingZeros || address.mapped) {
    return [
      `${field}: non-standard IP address "${text}" will be considered invalid in a future Kubernetes release: use "${canonical}"`,
    ];
  }
  return canonical === text
    ? []
    : [`${field}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${canonical}")`];
}

/** Warnings for a range that was accepted. */
export function cidrWarnings(text: string, field: string): string[] {
  const range = parseRange(text);
  if (!range) return [];
  const { address, bits, leadingZeros } = range;
  const { family } = address;
  const subnet = `${formatAddress({ family, value: boundsOf(range).first })}/${bits}`;
  const single = `${formatAddress(address)}/${family === 4 ? 32 : 128}`;
  const warnings: string[] = [];
  if (boundsOf(range).first !== address.value) {
    warnings.push(
      `${field}: CIDR value "${text}" is ambiguous in this context (should be "${subnet}" or "${single}"?)`,
    );
  }
  if (leadingZeros || address.leadingZeros || address.mapped) {
    warnings.push(
      `${field}: non-standard CIDR value "${text}" will be considered invalid in a future Kubernetes release: use "${subnet}"`,
    );
  }
  if (warnings.length > 0 || family === 4 || subnet === text) return warnings;
  return [`${field}: IPv6 CIDR value "${text}" should be in RFC 5952 canonical format ("${subnet}")`];
}
