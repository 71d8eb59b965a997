import { ApiError, VirtualClock } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import type { CertificateSet } from "./certificate-set.js";
import type { ServedCertificate } from "./certificate-source.js";
import { type CertificateStore, ManagedCertificates } from "./managed-certificates.js";

const hour = 3_600_000;
const policy = { hosts: ["hook.default.svc"], lifetime: 90 * hour, overlap: hour };

/** A store with versions, that several replicas share. */
class SharedStore {
  set: CertificateSet | undefined;
  version = 0;
  failure: unknown;
  readonly #listeners = new Set<() => void>();

  replica(): CertificateStore {
    let seen = 0;
    return {
      read: async () => {
        if (this.failure) throw this.failure;
        seen = this.version;
        return this.set;
      },
      write: async (set) => {
        // Another replica that reads at the same time is faster than this.
        await Promise.resolve();
        if (seen !== this.version) return false;
        this.put(set);
        return true;
      },
      watch: (listener) => {
        this.#listeners.add(listener);
        return async () => void this.#listeners.delete(listener);
      },
    };
  }

  put(set: CertificateSet | undefined): void {
    this.set = set;
    this.version++;
    for (const listener of this.#listeners) listener();
  }
}

function setUp() {
  const clock = new VirtualClock();
  const store = new SharedStore();
  const errors: unknown[] = [];
  const steps: string[] = [];
  let isTrusted = true;
  const replica = (served: ServedCertificate[] = []) => {
    const certificates = new ManagedCertificates({
      store: store.replica(),
      policy,
      clock,
      isTrusted: () => isTrusted,
      onStep: (step) => steps.push(step),
      onError: (error) => errors.push(error),
    });
    return { served, certificates, started: certificates.start((next) => served.push(next)) };
  };
  return { clock, store, errors, steps, replica, trust: (value: boolean) => (isTrusted = value) };
}

describe("webhook certificates made by the manager", () => {
  test("are agreed upon by replicas that start at once", async () => {
    const { clock, store, steps, replica } = setUp();
    const replicas = [replica(), replica(), replica()];
    await clock.runUntilSettled(Promise.all(replicas.map(({ started }) => started)));
    expect(steps).toEqual(["replace"]);
    for (const { served } of replicas)
      expect(served).toEqual([{ ...store.set?.current, caBundle: store.set?.caBundle }]);
    for (const { certificates } of replicas) await certificates.close();
    expect(clock.pending).toBe(0);
  });

  test("are rotated in two steps by one of them, and followed by the others", async () => {
    const { clock, steps, replica } = setUp();
    const [one, other] = [replica(), replica()];
    await clock.runUntilSettled(Promise.all([one.started, other.started]));
    await clock.advance(60 * hour + 1);
    expect(steps).toEqual(["replace", "stage"]);
    await clock.advance(hour);
    expect(steps).toEqual(["replace", "stage", "promote"]);
    // First with more CAs, then with another certificate.
    expect(one.served.length).toBe(3);
    expect(one.served[1]?.certificate).toBe(one.served[0]?.certificate);
    expect(one.served[1]?.caBundle).not.toBe(one.served[0]?.caBundle);
    expect(one.served[2]?.certificate).not.toBe(one.served[0]?.certificate);
    expect(one.served[2]?.caBundle).toBe(one.served[1]?.caBundle);
    expect(other.served).toEqual(one.served);
    await clock.advance(20 * 24 * hour);
    expect(steps.filter((step) => step === "replace").length).toBe(1);
    await one.certificates.close();
    await other.certificates.close();
    expect(clock.pending).toBe(0);
  });

  test("are not promoted before they are trusted", async () => {
    const { clock, steps, replica, trust } = setUp();
    const { started, certificates } = replica();
    await clock.runUntilSettled(started);
    trust(false);
    await clock.advance(75 * hour);
    expect(steps).toEqual(["replace", "stage"]);
    trust(true);
    await clock.advance(hour);
    expect(steps).toEqual(["replace", "stage", "promote"]);
    await certificates.close();
  });

  test("come back unchanged when their store was emptied", async () => {
    const { clock, store, replica } = setUp();
    const { started, served, certificates } = replica();
    await clock.runUntilSettled(started);
    const before = store.set;
    store.put(undefined);
    await clock.settle();
    expect(store.set).toEqual(before);
    expect(served.length).toBe(1);
    await certificates.close();
  });

  test("are replaced when the stored ones are invalid", async () => {
    const { clock, store, replica, steps } = setUp();
    const { started, served, certificates } = replica();
    await clock.runUntilSettled(started);
    store.put({
      current: { certificate: "", key: "" },
      next: undefined,
      caBundle: store.set?.caBundle ?? "",
    });
    await clock.settle();
    expect(steps).toEqual(["replace", "replace"]);
    expect(served[1]?.caBundle).toContain(served[0]?.caBundle);
    await certificates.close();
  });

  test("are waited for while the server is away, but not when it refuses", async () => {
    const { clock, store, replica, errors } = setUp();
    store.failure = new ApiError("later", { code: 503, reason: "ServiceUnavailable" });
    const { started, certificates } = replica();
    await clock.advance(20_000);
    expect(errors.length).toBe(3);
    store.failure = undefined;
    await clock.runUntilSettled(started);
    await certificates.close();
    store.failure = new ApiError("no", { code: 403, reason: "Forbidden" });
    await expect(replica().started).rejects.toThrow("no");
    expect(clock.pending).toBe(0);
  });

  test("survive a server that is away while they run", async () => {
    const { clock, store, replica, errors, steps } = setUp();
    const { started, certificates } = replica();
    await clock.runUntilSettled(started);
    store.failure = new ApiError("later", { code: 500, reason: "InternalError" });
    await clock.advance(59.5 * hour);
    store.failure = undefined;
    await clock.advance(2 * hour);
    expect(errors.length).toBeGreaterThan(0);
    expect(steps).toEqual(["replace", "stage", "promote"]);
    await certificates.close();
    expect(clock.pending).toBe(0);
  });
});
