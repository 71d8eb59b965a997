import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { answerRotationRequests, type RotationRequest, requestRotation } from "./rotation-request.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  folders.push(folder);
  return folder;
}

test("who runs the cluster does what is asked, once", async () => {
  const folder = newFolder();
  const heard: RotationRequest[] = [];
  const stop = answerRotationRequests(folder, (request) => heard.push(request));
  try {
    expect(await requestRotation(folder, { what: ["ca"], acceptFor: 1000 }, 60_000)).toBe(true);
    expect(await requestRotation(folder, { what: ["token"] }, 60_000)).toBe(true);
    expect(heard).toEqual([{ what: ["ca"], acceptFor: 1000 }, { what: ["token"] }]);
  } finally {
    stop();
  }
}, 120_000);

test("where nobody listens the request is taken back", async () => {
  const folder = newFolder();
  expect(await requestRotation(folder, { what: ["token"] }, 200)).toBe(false);
  expect(existsSync(join(folder, "rotate.json"))).toBe(false);
});

test("requests from before are not answered", () => {
  const folder = newFolder();
  writeFileSync(join(folder, "rotate.json"), '{"what":["token"]}');
  answerRotationRequests(folder, () => expect.unreachable())();
  expect(existsSync(join(folder, "rotate.json"))).toBe(false);
});
