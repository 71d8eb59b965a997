import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { watchSources } from "./watch-sources.js";

let folder = "";
let heard: () => void = () => undefined;
let watcher: { close(): void };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-watch-"));
  mkdirSync(join(folder, "controllers"));
  writeFileSync(join(folder, "controllers/order.ts"), "0");
  watcher = watchSources(folder, () => heard());
});
afterEach(() => {
  watcher.close();
  rmSync(folder, { recursive: true });
});

/** Does something and waits until it is heard of; the test's own time limit says when it is not. */
const saved = (save: () => void): Promise<void> =>
  new Promise((resolve) => {
    heard = resolve;
    save();
  });

test("a file that is written is heard of, each time", async () => {
  for (const text of ["1", "2", "3"])
    await saved(() => writeFileSync(join(folder, "controllers/order.ts"), text));
});

test("so is one that is replaced, as editors do it, each time", async () => {
  for (const text of ["1", "2", "3"])
    await saved(() => {
      writeFileSync(join(folder, "controllers/.order.ts.swap"), text);
      renameSync(join(folder, "controllers/.order.ts.swap"), join(folder, "controllers/order.ts"));
    });
});

test("and one in a folder that came later", async () => {
  await saved(() => mkdirSync(join(folder, "webhooks")));
  await saved(() => writeFileSync(join(folder, "webhooks/order.ts"), "1"));
  await saved(() => rmSync(join(folder, "webhooks"), { recursive: true }));
});

test("several saves at once are one", async () => {
  let times = 0;
  await new Promise<void>((resolve) => {
    heard = () => {
      times++;
      resolve();
    };
    for (const text of ["1", "2", "3"]) writeFileSync(join(folder, "controllers/order.ts"), text);
  });
  expect(times).toBe(1);
});
