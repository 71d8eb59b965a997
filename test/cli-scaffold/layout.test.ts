// The operators of this repository are laid out as a scaffolded project is, so that what one learns from them holds at home.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { customKindsOf, type ManagerDefinition } from "@kubewright/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KindFiles, kindFiles } from "../../packages/cli/src/scaffold/kind-files.js";
import {
  fullGroup,
  type Project,
  type ProjectResource,
  parseProject,
} from "../../packages/cli/src/scaffold/project-file.js";
import { Workspace } from "./command-line.js";

const root = join(import.meta.dirname, "../../operators");
const operators = readdirSync(root).filter((name) => existsSync(join(root, name, "src/main.ts")));

/** What a workspace has once, at its root, for all its projects. */
const atTheRoot = [".gitignore", ".github/workflows/ci.yaml", "biome.json", "vitest.config.ts"];

/** `src/api/v1/order.ts` → `src/api/<version>`: the folder of a source, whatever it is for. */
const folderOf = (path: string): string =>
  path
    .split("/")
    .slice(0, -1)
    .join("/")
    .replace(/^src\/api\/(.+\/)?v[^/]+$/, "src/api/<version>");

const isOfItsSubject = (folder: string): boolean =>
  /^src\/[^/]+$/.test(folder) && !/^src\/(api|controllers|webhooks)$/.test(folder);

const filesUnder = (directory: string, folder: string): readonly string[] =>
  readdirSync(join(directory, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== ".gitkeep")
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));

/** Where the parts of a kind that PROJECT records are. */
function partsOf(files: KindFiles, { api, controller, webhooks }: ProjectResource): readonly string[] {
  return [
    ...(api ? [files.resource] : []),
    ...(controller ? [files.controller, files.controller.replace(/\.ts$/, ".test.ts")] : []),
    ...(webhooks?.defaulting || webhooks?.validation ? [files.webhook] : []),
    ...(webhooks?.conversion ? [files.conversion] : []),
  ];
}

let shop: Workspace;
beforeAll(async () => {
  shop = new Workspace();
  await shop.ok("init shop --domain example.com --template app");
  shop.enter("shop");
  await shop.ok("create webhook --group web --version v1 --kind App --defaulting");
});
afterAll(() => shop[Symbol.dispose]());

test("there are operators to compare", () => expect(operators).toContain("modelbox"));

describe.each(operators)("%s", (name) => {
  const directory = join(root, name);
  const read = (path: string): string => readFileSync(join(directory, path), "utf8");
  const project = (): Project => parseProject(read("PROJECT"));

  test("has every file that a new project begins with", () => {
    const first = filesUnder(shop.path(""), "").filter(
      (path) => !atTheRoot.includes(path) && !/^(src\/(api|controllers|webhooks)|config)\//.test(path),
    );
    expect(first).toContain("src/main.test.ts");
    for (const path of first) expect(existsSync(join(directory, path)), path).toBe(true);
  });

  test("has its sources and its manifests where a scaffolded project has them", () => {
    for (const [folder, extra] of [
      ["src", []],
      ["config", ["config/samples", "config/webhook", "config/crd/bases"]],
    ] as const) {
      const scaffolded = [...filesUnder(shop.path(""), folder).map(folderOf), ...extra];
      // What only tests need may stand beside them.
      const files = filesUnder(directory, folder).filter((path) => !path.includes("/fixtures/"));
      // A larger operator has folders for what it is about, directly in src.
      const own = new Set(files.map(folderOf).filter((each) => !isOfItsSubject(each)));
      for (const each of own) expect(scaffolded).toContain(each);
    }
  });

  test("is built and deployed by the same recipes", () => {
    const recipes = read("Makefile").replace("MODULES ?= ../../node_modules", "MODULES ?= node_modules");
    expect(recipes).toBe(shop.read("Makefile"));
    for (const path of ["Dockerfile", ".dockerignore"]) expect(read(path)).toBe(shop.read(path));
    const { scripts } = JSON.parse(shop.read("package.json"));
    expect(JSON.parse(read("package.json")).scripts).toEqual({
      ...scripts,
      test: `vitest run --root ../.. operators/${name}/`,
    });
  });

  test("is compiled as strictly", () => {
    const { compilerOptions } = JSON.parse(shop.read("tsconfig.json"));
    const own = JSON.parse(read("tsconfig.json"));
    expect(own.extends).toBe("../../tsconfig.json");
    const shared = JSON.parse(readFileSync(join(root, "../tsconfig.json"), "utf8"));
    expect(shared.compilerOptions).toMatchObject(compilerOptions);
  });

  test("records its kinds in PROJECT, with each part of them where PROJECT says it is", () => {
    const { resources } = project();
    expect(resources.length).toBeGreaterThan(0);
    for (const resource of resources)
      for (const path of partsOf(kindFiles(project(), resource), resource))
        expect(existsSync(join(directory, path)), path).toBe(true);
  });

  test("is run by a manager that has the kinds of PROJECT, under the name of the project", async () => {
    const { default: manager } = (await import(`../../operators/${name}/src/main.ts`)) as {
      default: ManagerDefinition;
    };
    const recorded = project().resources.map((each) => `${each.kind}.${each.version}.${fullGroup(each)}`);
    const served = customKindsOf(manager).flatMap((kind) =>
      kind.crd().spec.versions.map((version) => `${kind.kind}.${version.name}.${kind.group}`),
    );
    expect(recorded.toSorted()).toEqual(served.toSorted());
    expect(manager.name).toBe(project().projectName);
    // Or by a function around it, where tests need the manager with other parts.
    expect(read("src/main.ts")).toMatch(/^export default (define|\w+)Manager\(\{/m);
  });

  test("depends on what a scaffolded project depends on, and has samples", () => {
    const own = JSON.parse(read("package.json"));
    const theirs = JSON.parse(shop.read("package.json"));
    expect(own).toMatchObject({ type: theirs.type, private: true, engines: theirs.engines });
    for (const dependency of Object.keys(theirs.dependencies))
      expect(own.dependencies).toHaveProperty([dependency]);
    expect(readdirSync(join(directory, "config/samples")).length).toBeGreaterThan(0);
  });
});
