import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { kubeconfig } from "./kubeconfig.js";
import { KubeconfigFile, KubeconfigFileError } from "./kubeconfig-file.js";

let folder: string;
let server: Server;
let url: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-kubeconfig-"));
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `https://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const path = () => join(folder, "state", "kubeconfig");
const text = () => kubeconfig({ server: url, authority: "a", token: "t" });
async function written(file = path(), orAnother = false): Promise<KubeconfigFile> {
  const reserved = await KubeconfigFile.reserve(file, { orAnother });
  reserved.write(text());
  return reserved;
}

test("the kubeconfig of a cluster is readable by its owner only and deleted by the cluster that wrote it", async () => {
  const file = await written();
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  expect(readFileSync(path(), "utf8")).toContain(url);
  file.remove();
  expect(() => statSync(path())).toThrow("ENOENT");
});

test("a second cluster takes another file, and neither deletes the other's", async () => {
  const first = await written(path(), true);
  const second = await written(path(), true);
  expect([first.path, second.path]).toEqual([path(), `${path()}-2`]);
  first.remove();
  expect(readFileSync(second.path, "utf8")).toContain(url);
});

test("two clusters that start at the same time do not share a file", async () => {
  const [a, b] = await Promise.all([1, 2].map(() => KubeconfigFile.reserve(path(), { orAnother: true })));
  for (const file of [a, b]) file?.write(text());
  expect([a?.path, b?.path]).toEqual([path(), `${path()}-2`]);
});

test("a file in use that was asked for by name is refused, with the address of the cluster that uses it", async () => {
  await written();
  await expect(KubeconfigFile.reserve(path())).rejects.toThrow(`is in use by the cluster at ${url}`);
});

test("the file of a cluster that no longer answers is replaced", async () => {
  await written();
  await new Promise((resolve) => server.close(resolve));
  const next = await written();
  expect(next.path).toBe(path());
  server = createServer().listen(0);
});

test("somebody else's kubeconfig is refused, and left as it is", async () => {
  mkdirSync(join(folder, "state"));
  writeFileSync(path(), "current-context: production\n");
  chmodSync(path(), 0o644);
  await expect(KubeconfigFile.reserve(path())).rejects.toThrow(
    "is not the kubeconfig of an embedded cluster",
  );
  expect(readFileSync(path(), "utf8")).toBe("current-context: production\n");
});

test("what somebody put in place of the file is neither written over nor deleted", async () => {
  const file = await written();
  writeFileSync(path(), "mine: true\n");
  file.write(text());
  file.remove();
  expect(readFileSync(path(), "utf8")).toBe("mine: true\n");
});

test("a symbolic link left by an earlier cluster is replaced, not followed", async () => {
  const target = join(folder, "target");
  const file = await written(target);
  await new Promise((resolve) => server.close(resolve));
  symlinkSync(target, join(folder, "link"));
  await written(join(folder, "link"));
  server = createServer().listen(0);
  file.remove();
  expect(readFileSync(join(folder, "link"), "utf8")).toContain(url);
});

test("a file that cannot be written is an error before the cluster starts", async () => {
  writeFileSync(join(folder, "state"), "a file, no folder");
  await expect(KubeconfigFile.reserve(path())).rejects.toThrow(KubeconfigFileError);
});
