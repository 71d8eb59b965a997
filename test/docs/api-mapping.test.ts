// The tables of docs/from-kubebuilder.md name only what there is: commands with their options, make targets, functions, types and properties.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as api from "@kubewright/api";
import * as client from "@kubewright/client";
import * as runtime from "@kubewright/runtime";
import * as main from "@kubewright/runtime/main";
import * as schema from "@kubewright/schema";
import * as testing from "@kubewright/testing";
import { expect, test } from "vitest";
import { findCommand } from "../../packages/cli/src/registry.js";

const repository = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const page = read("docs/from-kubebuilder.md");

/** The code on the right of each row. */
const spans = [
  ...page.matchAll(/^\| (?!kubebuilder,|in Go|controller-runtime,|---).+ \| (.+) \|$/gm),
].flatMap(([, right = ""]) => [...right.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code));
const makefile = read("packages/cli/templates/project/Makefile.tmpl");

/** Options and methods that users write, where they are declared. */
const declarations = [
  ...["controller", "manager", "webhook", "leadership"].flatMap((folder) =>
    sourcesOf(`packages/runtime/src/${folder}`),
  ),
  ...sourcesOf("packages/schema/src/define"),
].join("\n");

function sourcesOf(folder: string): readonly string[] {
  return readdirSync(join(repository, folder))
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => read(`${folder}/${name}`));
}

const exported: object = { ...api, ...client, ...main, ...testing, ...schema, ...runtime };
const types = read("packages/runtime/src/index.ts") + read("packages/schema/src/index.ts");

function isKnown(name: string): boolean {
  const [first = "", member] = name.split(".");
  if (first === "kube" && member) return member in schema.kube;
  const last = name.replace(/^ctx\./, "");
  return (
    last in exported ||
    new RegExp(`\\btype ${last}\\b`).test(types) ||
    new RegExp(`^ {2}(readonly )?${last}\\??[:(<]`, "m").test(declarations)
  );
}

const commands = spans.filter((code) => /^kubewright /.test(code));
const targets = spans.filter((code) => /^make /.test(code));
const names = spans.filter(
  (code) =>
    /^(ctx\.|kube\.)?\w+$/.test(code) &&
    ![
      "install",
      "run",
      "uninstall",
      "z",
      "external",
      "config",
      "PROJECT",
      "Makefile",
      "Dockerfile",
      "init",
      "add",
      "dev",
    ].includes(code),
);

test("there are names, commands and targets to look up", () => {
  expect([names.length > 50, commands.length > 10, targets.length > 2]).toEqual([true, true, true]);
  expect(isKnown("defineNothing") || isKnown("ctx.nothing") || isKnown("kube.nothing")).toBe(false);
});

test.each([...new Set(names)])("%s exists", (name) => {
  expect(isKnown(name)).toBe(true);
});

test.each([...new Set(commands)])("%s is a command with these options", async (code) => {
  const words = code.split(" ").slice(1);
  const found = findCommand(words);
  expect(found.kind).toBe("command");
  if (found.kind !== "command") return;
  const { options } = await found.entry.load();
  for (const [, flag = ""] of code.matchAll(/--([\w-]+)/g)) expect(Object.keys(options)).toContain(flag);
});

test.each([...new Set(targets)])("%s is a target of every project", (code) => {
  const [, target = ""] = code.split(" ");
  expect(makefile).toMatch(new RegExp(`^${target}:`, "m"));
});
