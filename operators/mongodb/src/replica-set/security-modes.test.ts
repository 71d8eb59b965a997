// The modes that members are started in, step by step.
import { describe, expect, test } from "vitest";
import { type ClusterAuthMode, nextModes, type SecurityModes, type TlsMode } from "./security-modes.js";

const modes = (
  tls: TlsMode,
  clusterAuth: ClusterAuthMode = "keyFile",
  isX509Only = false,
): SecurityModes => ({
  tls,
  clusterAuth,
  isX509Only,
});
const text = ({ tls, clusterAuth, isX509Only }: SecurityModes): string =>
  `${tls} ${clusterAuth}${isX509Only ? " X509 only" : ""}`;

describe("the modes of members", () => {
  test.each<[TlsMode, readonly TlsMode[], TlsMode]>([
    ["requireTLS", [], "requireTLS"],
    ["requireTLS", ["disabled", "disabled"], "allowTLS"],
    ["requireTLS", ["disabled", "allowTLS"], "allowTLS"],
    ["requireTLS", ["allowTLS", "allowTLS"], "preferTLS"],
    ["preferTLS", ["preferTLS", "preferTLS"], "preferTLS"],
    ["disabled", ["disabled", "allowTLS"], "disabled"],
    ["disabled", ["requireTLS", "requireTLS"], "preferTLS"],
  ])("on the way to %s, from %j, are %s next", (final, present, next) => {
    expect(
      nextModes(
        modes(final),
        present.map((mode) => modes(mode)),
      ).tls,
    ).toBe(next);
  });

  /** All members take each step before the next. */
  function path(from: SecurityModes, final: SecurityModes): readonly string[] {
    const steps: string[] = [];
    for (let now = from; steps.length < 20; ) {
      const next = nextModes(final, [now, now, now]);
      if (text(next) === text(now)) return steps;
      // A member that starts with the next step understands those that have not.
      expect(text(nextModes(final, [now, next]))).toBe(text(next));
      steps.push(text(next));
      now = next;
    }
    return steps;
  }

  test("go from no TLS to certificates for all in the order that MongoDB documents, and back", () => {
    const all = modes("requireTLS", "x509", true);
    expect(path(modes("disabled"), all)).toEqual([
      "allowTLS keyFile",
      "preferTLS keyFile",
      "requireTLS sendKeyFile",
      "requireTLS sendX509 X509 only",
      "requireTLS x509 X509 only",
    ]);
    expect(path(all, modes("disabled"))).toEqual([
      "requireTLS sendX509",
      "requireTLS sendKeyFile",
      "requireTLS keyFile",
      "preferTLS keyFile",
      "allowTLS keyFile",
      "disabled keyFile",
    ]);
  });
});
