// Allocates cluster IPs. Taken are those of IPAddress objects, and those of writes in flight.

import { formatTime, type ServiceCIDR } from "@kubewright/api";
import {
  type AddressOwner,
  type AddressPool,
  AllocationError,
  boundsOf,
  type Family,
  formatAddress,
  parseAddress,
  parseRange,
  type Range,
  rangeContains,
  storedAs,
} from "@kubewright/kinds";

import type { Services } from "../registry/request-context.js";
import type { Unstamped } from "../storage/index.js";

export const addressTable = "networking.k8s.io/ipaddresses";
const rangeTable = "networking.k8s.io/servicecidrs";

type Needs = Pick<Services, "storage" | "clock" | "newUid" | "random">;

/** The ranges a server starts with by default. */
const usualRanges: readonly string[] = ["10.96.0.0/16"];

/** At most that many addresses of a range are chosen from by chance: IPv6 has more than numbers can count. */
const mostChosenFrom = 2n ** 48n;

/** Ranges of addresses that Services cannot have. */
export class ServiceRangeError extends Error {
  override readonly name = "ServiceRangeError";
}

export class AddressAllocator implements AddressPool {
  readonly #services: Needs;
  /** The ranges the server started with, the usual one first. */
  readonly initialRanges: readonly string[];
  /** The families of those ranges, which are the ones services can have. */
  readonly families: readonly Family[];
  /** Allocated by writes that are neither stored nor refused yet. */
  readonly #pending = new Set<string>();

  constructor(services: Needs, initialRanges: readonly string[] = usualRanges) {
    this.#services = services;
    this.initialRanges = initialRanges;
    this.families = initialRanges.map(familyOfRange);
    if (initialRanges.length === 0 || new Set(this.families).size < initialRanges.length)
      throw new ServiceRangeError("services need one range of addresses, or two of different families");
  }

  /** Throws an AllocationError when the address is taken, or of none of the ranges. */
  take(text: string): void {
    const address = parseAddress(text);
    const found = address && this.#ranges().find(({ range }) => rangeContains(range, address));
    if (!address || !found)
      throw new AllocationError("the provided network does not match the current range");
    const { first, last } = usableOf(found.range);
    if (address.value < first || address.value > last) {
      throw new AllocationError(
        `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${found.text}`,
      );
    }
    if (this.#isTaken(text)) throw new AllocationError("provided IP is already allocated");
    this.#pending.add(text);
  }

  /** A free address of a family, chosen by chance; throws an AllocationError when there is none. */
  takeAny(family: Family): string {
    for (const { range } of this.#ranges()) {
      if (familyName(range) !== family) continue;
      const { first, last } = usableOf(range);
      const size = smaller(last - first + 1n, mostChosenFrom);
      // The lower part is for addresses that Services ask for by value.
      const reserved = smaller(size / 16n > 16n ? size / 16n : 16n, 256n);
      const upper = { family: range.address.family, first: first + reserved, size: size - reserved };
      const text = this.#freeIn(upper) ?? this.#freeIn({ ...upper, first, size: smaller(reserved, size) });
      if (text === undefined) continue;
      this.#pending.add(text);
      return text;
    }
    throw new AllocationError("range is full");
  }

  /** The write that took it failed. */
  giveBack(text: string): void {
    this.#pending.delete(text);
  }

  /** The write that took it is done: from now on an object stands for the address. */
  keep(text: string, owner: AddressOwner): void {
    const { storage, clock, newUid } = this.#services;
    storage.put(addressTable, text, addressObject(text, owner, newUid(), formatTime(clock.now())), "any");
    this.#pending.delete(text);
  }

  release(text: string): void {
    const { storage } = this.#services;
    if (storage.get(addressTable, text)) storage.delete(addressTable, text, "any");
  }

  #isTaken(text: string): boolean {
    return this.#pending.has(text) || this.#services.storage.get(addressTable, text) !== undefined;
  }

  #freeIn({ family, first, size }: Stretch): string | undefined {
    const count = Number(size);
    const start = Math.floor(this.#services.random() * count);
    for (let step = 0; step < count; step++) {
      const text = formatAddress({ family, value: first + BigInt((start + step) % count) });
      if (!this.#isTaken(text)) return text;
    }
    return undefined;
  }

  /** The ranges there are, of families this cluster has. */
  #ranges(): { text: string; range: Range }[] {
    const all = [...this.#services.storage.list(rangeTable, { prefix: "" })].map(storedAs<ServiceCIDR>);
    const texts = all.flatMap(({ metadata, spec }) =>
      metadata?.deletionTimestamp === undefined ? (spec?.cidrs ?? []) : [],
    );
    return texts.flatMap((text) => {
      const range = parseRange(text);
      return range && this.families.includes(familyName(range)) ? [{ text, range }] : [];
    });
  }
}

/** Addresses next to each other. */
interface Stretch {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly size: bigint;
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const familyName = ({ address }: Range): Family => (address.family === 6 ? "IPv6" : "IPv4");

function familyOfRange(text: string): Family {
  const range = parseRange(text);
  if (!range) throw new ServiceRangeError(`"${text}" is no range of addresses`);
  return familyName(range);
}

/** Without the address of the range itself and, in IPv4, the one that means everybody. */
function usableOf(range: Range): { first: bigint; last: bigint } {
  const { first, last } = boundsOf(range);
  return { first: first + 1n, last: range.address.family === 4 ? last - 1n : last };
}

function addressObject(name: string, owner: AddressOwner, uid: string, now: string): Unstamped {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    metadata: {
      name,
      uid,
      creationTimestamp: now,
      labels: {
        "ipaddress.kubernetes.io/ip-family": name.includes(":") ? "IPv6" : "IPv4",
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
      },
    },
    spec: { parentRef: { resource: "services", ...owner } },
  };
}
