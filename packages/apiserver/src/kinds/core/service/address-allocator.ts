// Which cluster addresses are taken: those an IPAddress object stands for, and those of writes under way.
import { formatTime, type ServiceCIDR } from "@kubewright/api";
import type { Services } from "../../../request/context.js";
import type { Unstamped } from "../../../storage/index.js";
import { storedAs } from "../../as-kind.js";
import { boundsOf, contains, formatAddress, parseAddress, parseRange, type Range } from "../../network/ip.js";
import { AllocationError } from "./allocation-error.js";

export const addressTable = "networking.k8s.io/ipaddresses";
const rangeTable = "networking.k8s.io/servicecidrs";

/** Whose address it is. */
export interface AddressOwner {
  readonly namespace: string;
  readonly name: string;
}

type Needs = Pick<Services, "storage" | "clock" | "newUid" | "random">;

export class AddressAllocator {
  readonly #services: Needs;
  /** Taken by writes that are neither stored nor given up yet. */
  readonly #pending = new Set<string>();

  constructor(services: Needs) {
    this.#services = services;
  }

  /** Throws an AllocationError when the address is taken, or of none of the ranges. */
  take(text: string): void {
    const address = parseAddress(text);
    const found = address && this.#ranges().find(({ range }) => contains(range, address));
    if (!address || !found)
      throw new AllocationError("the provided network does not match the current range");
    const { first, last } = boundsOf(found.range);
    if (address.value === first || address.value === last) {
      throw new AllocationError(
        `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${found.text}`,
      );
    }
    if (this.#isTaken(text)) throw new AllocationError("provided IP is already allocated");
    this.#pending.add(text);
  }

  /** A free address, chosen by chance; throws an AllocationError when there is none. */
  takeAny(): string {
    for (const { range } of this.#ranges()) {
      const { first, last } = boundsOf(range);
      const size = Number(last - first) - 1;
      // The lower part is left to those who ask for an address by name.
      const reserved = Math.min(Math.max(16, Math.floor(size / 16)), 256);
      const base = Number(first);
      const text = this.#freeIn(base + 1 + reserved, base + size) ?? this.#freeIn(base + 1, base + reserved);
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

  #freeIn(from: number, to: number): string | undefined {
    const size = to - from + 1;
    const start = Math.floor(this.#services.random() * size);
    for (let step = 0; step < size; step++) {
      const text = formatAddress({ family: 4, value: BigInt(from + ((start + step) % size)) });
      if (!this.#isTaken(text)) return text;
    }
    return undefined;
  }

  /** The IPv4 ranges there are: this is a single-stack cluster. */
  #ranges(): { text: string; range: Range }[] {
    const all = [...this.#services.storage.list(rangeTable, { prefix: "" })].map(storedAs<ServiceCIDR>);
    const texts = all.flatMap(({ metadata, spec }) =>
      metadata?.deletionTimestamp === undefined ? (spec?.cidrs ?? []) : [],
    );
    return texts.flatMap((text) => {
      const range = parseRange(text);
      return range?.address.family === 4 ? [{ text, range }] : [];
    });
  }
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
        "ipaddress.kubernetes.io/ip-family": "IPv4",
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
      },
    },
    spec: { parentRef: { resource: "services", ...owner } },
  };
}
