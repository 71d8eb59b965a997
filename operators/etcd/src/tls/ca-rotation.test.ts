import { expect, test } from "vitest";
import { type CertificatesInUse, rotated, rotationNote } from "./ca-rotation.js";

const pem = (name: string): string => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
const source = (ca: string, certificate = `of ${ca}`) => ({
  ca: [...ca].map(pem).join(""),
  certificate,
  key: `key of ${certificate}`,
});
/** The state in a few letters: the CAs trusted, and the certificate. */
const shown = ({ trusted, certificate }: CertificatesInUse): string =>
  `${trusted.replaceAll(/-----[^-]*-----|\n/g, "")}: ${certificate}`;

test("another CA is trusted first, then used, and the old one is dropped last, each when all members have taken up the state before", () => {
  let state = rotated(undefined, source("A"), false);
  const states: string[] = [];
  const next = (isTakenUp: boolean, from = source("B")): void => {
    const after = rotated(state, from, isTakenUp);
    states.push(`${shown(after)} (${rotationNote(state, after) ?? ""})`);
    state = after;
  };
  next(false, source("A"));
  next(true);
  next(false);
  next(true);
  next(false);
  next(true);
  next(true);
  expect(states).toEqual([
    "A: of A ()",
    "AB: of A (a new CA is trusted beside the old one)",
    "AB: of A ()",
    "AB: of B (certificates of the new CA are put in place)",
    "AB: of B ()",
    "B: of B (the old CA is no longer trusted)",
    "B: of B ()",
  ]);
});

test("a certificate that was renewed by the same CA is taken at once", () => {
  const state = rotated(undefined, source("A"), true);
  expect(shown(rotated(state, source("A", "renewed"), false))).toBe("A: renewed");
});

test("a third CA in the middle of it is trusted beside both, and takes the place of both", () => {
  const both = rotated(rotated(undefined, source("A"), true), source("B"), true);
  const all = rotated(both, source("C"), true);
  expect(shown(all)).toBe("ABC: of A");
  const switched = rotated(all, source("C"), true);
  expect(shown(switched)).toBe("ABC: of C");
  expect(shown(rotated(switched, source("C"), true))).toBe("C: of C");
});
