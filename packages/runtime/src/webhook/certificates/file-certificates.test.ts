import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@kubewright/api";
import { afterEach, beforeEach, expect, test } from "vitest";
import { issueUnder } from "./certificate-set.js";
import type { ServedCertificate } from "./certificate-source.js";
import { FileCertificates } from "./file-certificates.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "kubewright-certificates-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const issued = () => issueUnder({ hosts: ["localhost"], lifetime: 3_600_000 }, Date.now(), "");
const write = (files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
};

function setUp() {
  const clock = new VirtualClock();
  const served: ServedCertificate[] = [];
  const errors: unknown[] = [];
  const files = new FileCertificates({ directory, clock, onError: (error) => errors.push(error) });
  return { clock, served, errors, files, start: () => files.start((next) => served.push(next)) };
}

test("webhook certificates are read from files, and again when these change", async () => {
  const { clock, served, errors, files, start } = setUp();
  const first = issued();
  write({ "tls.crt": first.pair.certificate, "tls.key": first.pair.key, "ca.crt": first.caBundle });
  await start();
  await clock.advance(60_000);
  expect(served).toEqual([{ ...first.pair, caBundle: first.caBundle }]);
  const second = issued();
  write({ "tls.crt": second.pair.certificate, "tls.key": second.pair.key, "ca.crt": second.caBundle });
  await clock.advance(10_000);
  expect(served[1]).toEqual({ ...second.pair, caBundle: second.caBundle });
  expect(errors).toEqual([]);
  await files.close();
  expect(clock.pending).toBe(0);
});

test("a webhook certificate that does not match its key is reported, and the old pair stays until it does", async () => {
  const { clock, served, errors, files, start } = setUp();
  const [first, second] = [issued(), issued()];
  write({ "tls.crt": first.pair.certificate, "tls.key": first.pair.key });
  await start();
  expect(served[0]?.caBundle).toBeUndefined();
  write({ "tls.crt": second.pair.certificate });
  await clock.advance(10_000);
  expect(String(errors[0])).toContain("is not that of the certificate");
  expect(served.length).toBe(1);
  write({ "tls.key": second.pair.key });
  await clock.advance(10_000);
  expect(served[1]).toMatchObject(second.pair);
  await files.close();
});

test("missing webhook certificate files are an error at the start", async () => {
  await expect(setUp().start()).rejects.toThrow(/tls\.(crt|key)/);
});
