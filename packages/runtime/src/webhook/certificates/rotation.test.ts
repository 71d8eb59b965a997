import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type CertificateSet, certificatesIn } from "./certificate-set.js";
import { nextStep, type RotationPolicy, taken } from "./rotation.js";

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const policy: RotationPolicy = {
  hosts: ["hook.default.svc", "127.0.0.1"],
  lifetime: 90 * hour,
  overlap: hour,
};
const fresh = taken({ do: "replace", why: "" }, undefined, policy, start);
const staged = taken({ do: "stage" }, fresh, policy, start + 60 * hour);
const promoted = taken({ do: "promote" }, staged, policy, start + 61 * hour);

const trusts = ({ caBundle }: CertificateSet, { current }: CertificateSet): boolean =>
  certificatesIn(caBundle).some((pem) =>
    new X509Certificate(current.certificate).verify(new X509Certificate(pem).publicKey),
  );

describe("a webhook certificate", () => {
  test("is good for its hosts, and signed by the CA beside it", () => {
    const certificate = new X509Certificate(fresh.current.certificate);
    expect(certificate.checkHost("hook.default.svc")).toBe("hook.default.svc");
    expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(trusts(fresh, fresh)).toBe(true);
  });

  test.each<[string, CertificateSet | undefined, number, boolean, object]>([
    ["none", undefined, 0, true, { do: "replace", why: "there is none" }],
    ["a fresh one", fresh, 0, true, { do: "wait", until: start + 60 * hour }],
    ["one with a third of its life left", fresh, 60, true, { do: "stage" }],
    ["one that has expired", fresh, 90, true, { do: "replace", why: "it has expired" }],
    ["a successor that is new", staged, 60, true, { do: "wait", until: start + 61 * hour }],
    ["a successor that all had time to trust", staged, 61, true, { do: "promote" }],
    ["a successor that is not trusted yet", staged, 61, false, { do: "wait", until: start + 62 * hour }],
    ["no time left to wait for trust", staged, 89, false, { do: "promote" }],
    ["one that was promoted", promoted, 61, true, { do: "wait", until: start + 120 * hour }],
    [
      "a key of another",
      { ...fresh, current: { ...fresh.current, key: promoted.current.key } },
      0,
      true,
      { do: "replace", why: "its key is another's" },
    ],
    [
      "a CA of another",
      { ...fresh, caBundle: taken({ do: "replace", why: "" }, undefined, policy, start).caBundle },
      0,
      true,
      { do: "replace", why: "none of its CAs has signed it" },
    ],
    [
      "nonsense",
      { ...fresh, current: { certificate: "x", key: "y" } },
      0,
      true,
      { do: "replace", why: "it cannot be read" },
    ],
    [
      "a successor that cannot be read",
      { ...staged, next: { certificate: "x", key: "y", since: start } },
      61,
      true,
      { do: "stage" },
    ],
  ])("%s", (_what, set, hours, isTrusted, step) => {
    expect(nextStep(set, policy, start + hours * hour, isTrusted)).toEqual(step);
  });

  test("for other hosts is replaced at once", () => {
    const moved = { ...policy, hosts: ["other.default.svc"] };
    expect(nextStep(fresh, moved, start, true)).toEqual({
      do: "replace",
      why: "it is not good for other.default.svc",
    });
  });
});

describe("rotation of webhook certificates", () => {
  test("never serves what was not trusted before, nor stops trusting what is still served", () => {
    expect(staged.current).toEqual(fresh.current);
    expect(promoted.current).not.toEqual(fresh.current);
    expect(trusts(staged, fresh) && trusts(staged, promoted)).toBe(true);
    expect(trusts(promoted, fresh)).toBe(true);
    expect(trusts(fresh, promoted)).toBe(false);
  });

  test("keeps no CAs that have expired, and few of the others", () => {
    let set = promoted;
    for (let round = 1; round < 5; round++) {
      const now = start + (61 + round) * hour;
      set = taken({ do: "promote" }, taken({ do: "stage" }, set, policy, now), policy, now);
    }
    expect(certificatesIn(set.caBundle).length).toBe(3);
    const late = taken({ do: "replace", why: "" }, set, policy, start + 1_000 * hour);
    expect(certificatesIn(late.caBundle).length).toBe(1);
  });
});
