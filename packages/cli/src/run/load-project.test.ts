import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importProject } from "./load-project.js";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "kubewright-load-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const load = (source: string) => importProject(root, Buffer.from(source));

test('import { z } from "zod" in a project without zod: the error says what to import instead', async () => {
  await expect(load('import { z } from "zod"; export const main = z;')).rejects.toThrow(
    'use import { z } from "@kubewright/schema"',
  );
});

test("other packages that are missing are named as Node.js names them", async () => {
  await expect(load('import "no-such-package";')).rejects.toThrow("no-such-package");
});
