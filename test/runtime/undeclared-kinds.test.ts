// What the compiler says of a kind that a controller did not declare, in the words a user reads.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

const source = `
import { ConfigMap, Deployment, Secret, Service } from "@kubewright/api";
import { defineResource, z } from "@kubewright/schema";
import { defineController, readOnly } from "@kubewright/runtime";
const Thing = defineResource({ group: "example.com", version: "v1", kind: "Thing", spec: z.object({}) });
const Other = defineResource({ group: "example.com", version: "v1", kind: "Other", spec: z.object({}) });
export const things = defineController(Thing, {
  owns: [Deployment],
  uses: [readOnly(ConfigMap)],
  async reconcile(_, ctx) {
    await ctx.apply(Service, { metadata: { name: "a" } });
    ctx.keep(Service, "a");
    await ctx.create(Service, {});
    await ctx.delete(ConfigMap, "a");
    ctx.children(Other);
    await ctx.get(Secret, "a");
    await ctx.list(Secret);
    ctx.byIndex(Other, "a", "b");
  },
});
`;

/** Line of the source → the message there, first line. */
function compilerMessages(): Promise<ReadonlyMap<string, string>> {
  // Inside the repository, so that the packages are found as sources.
  const folder = mkdtempSync(join(import.meta.dirname, ".types-"));
  writeFileSync(join(folder, "main.ts"), source);
  const config = { extends: join(root, "tsconfig.json"), include: ["main.ts"], exclude: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, "-p", folder, "--pretty", "false"], (_error, output) => {
      rmSync(folder, { recursive: true });
      const lines = source.split("\n");
      const found = [...output.matchAll(/main\.ts\((\d+),\d+\): error TS\d+: (.*)/g)];
      resolve(new Map(found.map(([, line, text = ""]) => [lines[Number(line) - 1]?.trim() ?? "", text])));
    });
  });
}

test("a kind that the controller did not declare: the compiler names the kind and the remedy", async () => {
  const forWriting = (kind: string) =>
    `${kind} is not declared for writing: add it to owns, or to uses if its objects are not children`;
  const forReading = (kind: string) =>
    `${kind} is not declared: add it to owns or watches, or readOnly(${kind}) to uses`;
  const messages = [...(await compilerMessages())].map(([line, text]) => [
    line,
    /parameter of type '"(.*)"'\.$/.exec(text)?.[1],
  ]);
  expect(messages).toEqual([
    ['await ctx.apply(Service, { metadata: { name: "a" } });', forWriting("Service")],
    ['ctx.keep(Service, "a");', forWriting("Service")],
    ["await ctx.create(Service, {});", forWriting("Service")],
    ['await ctx.delete(ConfigMap, "a");', forWriting("ConfigMap")],
    ["ctx.children(Other);", forWriting("Other")],
    ['await ctx.get(Secret, "a");', forReading("Secret")],
    ["await ctx.list(Secret);", forReading("Secret")],
    ['ctx.byIndex(Other, "a", "b");', forReading("Other")],
  ]);
}, 60_000);
