import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@kubewright/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testAuthority } from "../fixtures/loopback-server.js";
import { certificateCredentials } from "./client-certificate.js";
import { RotatingFile } from "./rotating-file.js";
import { tokenFileCredentials } from "./token-file.js";

let directory: string;
let path: string;
const clock = new VirtualClock();
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "rotating-"));
  path = join(directory, "file");
  await writeFile(path, "one");
});
afterEach(() => rm(directory, { recursive: true }));

describe("rotating file", () => {
  it("is read again after a minute", async () => {
    const file = new RotatingFile(path, "token", clock);
    expect(await file.read()).toBe("one");
    await writeFile(path, "two");
    expect(await file.read()).toBe("one");
    await clock.advance(60_000);
    expect(await file.read()).toBe("two");
  });

  it("is read at once when asked whether it changed", async () => {
    const file = new RotatingFile(path, "token", clock);
    await file.read();
    expect(await file.changed()).toBe(false);
    await writeFile(path, "two");
    expect(await file.changed()).toBe(true);
    expect(await file.read()).toBe("two");
  });

  it("keeps its last content while it is away", async () => {
    const file = new RotatingFile(path, "token", clock);
    await file.read();
    await rm(path);
    await clock.advance(60_000);
    expect(await file.read()).toBe("one");
  });

  it("that never existed is reported", async () => {
    const file = new RotatingFile(join(directory, "none"), "client key", clock);
    await expect(file.read()).rejects.toThrow(/^cannot read the client key .*none$/);
  });
});

it("token file: an empty one is reported", async () => {
  await writeFile(path, " \n");
  await expect(tokenFileCredentials(path, clock).current()).rejects.toThrow(
    `the token file ${path} is empty`,
  );
});

it("client certificate files: a new certificate is used once its key has come too", async () => {
  const authority = testAuthority();
  const [old, fresh] = [authority.client("old"), authority.client("new")];
  const keyPath = join(directory, "key");
  await writeFile(path, old.cert);
  await writeFile(keyPath, old.key);
  const source = certificateCredentials({ path }, { path: keyPath }, clock);
  expect(await source.current()).toEqual({ certificate: old });
  await writeFile(path, fresh.cert);
  await clock.advance(60_000);
  expect(await source.current()).toEqual({ certificate: old });
  await writeFile(keyPath, fresh.key);
  await clock.advance(60_000);
  expect(await source.current()).toEqual({ certificate: fresh });
});
