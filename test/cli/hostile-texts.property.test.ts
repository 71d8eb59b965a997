// Names and texts written by somebody who wants them to become something else: code, a further key, a template, a path, a command.
// Whatever a project says, the files made of it hold it as data, or it is refused with a message.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMap, ValidationError } from "@kubewright/api";
import { stringifyYaml } from "@kubewright/machinery";
import { defineController, defineManager, type ManagerDefinition } from "@kubewright/runtime";
import { conditions, defineResource, z } from "@kubewright/schema";
import { transformSync } from "esbuild";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { UsageError } from "../../packages/cli/src/command.js";
import { installObjects } from "../../packages/cli/src/manifests/config-files.js";
import { planManifests } from "../../packages/cli/src/manifests/generate.js";
import { manifestSettings } from "../../packages/cli/src/manifests/manifest-settings.js";
import { operatorOf } from "../../packages/cli/src/manifests/operator.js";
import { sampleObject } from "../../packages/cli/src/manifests/sample.js";
import { createApi } from "../../packages/cli/src/scaffold/create-api.js";
import { createWebhook } from "../../packages/cli/src/scaffold/create-webhook.js";
import { editProject } from "../../packages/cli/src/scaffold/edit-project.js";
import { type FeatureName, features } from "../../packages/cli/src/scaffold/features.js";
import { initProject } from "../../packages/cli/src/scaffold/init-project.js";
import { findProject } from "../../packages/cli/src/scaffold/project-file.js";
import { findKubectls } from "../kubectl/kubectl.js";
import { renderTemplate } from "./chart-rendering.js";

// The same cases in every run of the tests; the long run tries others.
beforeAll(() => fc.configureGlobal(process.env["KUBEWRIGHT_LONG_TESTS"] ? {} : { seed: 20261116 }));
afterAll(() => fc.resetConfigureGlobal());

const hostile = [
  '"',
  "'",
  "`",
  "${x}",
  "$(touch x)",
  "`touch x`",
  "; touch x",
  "a\nb",
  "a\nRUN touch x",
  "a\r\nb: c",
  "*/ x /*",
  "// x",
  "{{ .Values.image }}",
  "{{",
  "{{{{",
  "}}",
  "{{- end }}",
  "{{ projectName }}",
  "{{projectName}}",
  "@namespace@",
  "@image@",
  "@replicas@",
  "@value:resources@",
  "@items:env@",
  "@entries:labels@",
  "&a",
  "*a",
  "!!js/function x",
  "a: b",
  "- a",
  "# a",
  "<<",
  "0o17",
  "yes",
  "---",
  "a\n---\nkind: Secret",
  "a\u2028kind: Secret",
  "a\nb\u2028metadata: {}",
  "a\u2029b",
  "a\u0085b: c",
  "\ufeff",
  "\u0000",
  "\u001b[2J",
  "../../x",
  "/etc/x",
  "a/b",
  "a\\b",
  "__proto__",
  "constructor",
  '"--health-probe',
  '"replicas":3',
  "%s",
  "$1$&$`",
  "<script>",
  "ü",
  "\u202e",
];
const text = fc.oneof(
  fc.constantFrom(...hostile),
  fc
    .array(fc.constantFrom(...hostile, "x", " ", "\n"), { minLength: 1, maxLength: 4 })
    .map((all) => all.join("")),
  fc.string({ unit: "grapheme", maxLength: 10 }),
);
/** Characters that end a line in YAML 1.1, or that its readers refuse anywhere. */
const breaks = /[^\P{Cc}\n]|[\u2028\u2029\ufeff]/u;

let folder: string;
let count = 0;
const newRoot = (): string => {
  const root = join(folder, String(count++));
  mkdirSync(root);
  return root;
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-hostile-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isRefusal = (error: unknown): boolean =>
  error instanceof UsageError || error instanceof ValidationError;

/** What was refused is undefined; the message has to say something. */
async function unlessRefused<T>(make: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await make();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    expect(String((error as Error).message).length).toBeGreaterThan(20);
    return undefined;
  }
}

interface Said {
  readonly description: string;
  readonly field: string;
  readonly value: string;
  readonly choices: readonly string[];
  readonly column: string;
}

/** An operator of a kind that says all this. */
function managerOf({ description, field, value, choices, column }: Said): ManagerDefinition {
  const Widget = defineResource({
    group: "shop.example.com",
    version: "v1",
    kind: "Widget",
    spec: z
      .object({
        [field]: z.string().describe(description),
        told: z.string().default(value).describe(description),
        choice: z.enum(choices as [string, ...string[]]).describe(description),
        inner: z
          .object({ [field]: z.array(z.string()).default([value]) })
          .optional()
          .describe(description),
      })
      .describe(description),
    status: z.object({ conditions: conditions() }),
    columns: { [column]: ".spec.told" },
  });
  const controller = defineController(Widget, { owns: [ConfigMap], reconcile: () => undefined });
  return defineManager({ name: "shop", controllers: [controller], leaderElection: true });
}

interface Object_ {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>> | null;
  };
}

const documentsIn = (yaml: string): readonly Object_[] =>
  parseAllDocuments(yaml, { version: "1.1" }).flatMap((document) => {
    expect(document.errors).toEqual([]);
    const object = document.toJS();
    return object === null ? [] : [object];
  });

const nameOf = ({ kind, metadata }: Object_): string => `${kind} ${metadata.name}`;
const byName = (objects: readonly unknown[]): ReadonlyMap<string, unknown> =>
  new Map((objects as Object_[]).map((object) => [nameOf(object), asJson(object)]));
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Without what is empty, and with the pull policy that a chart states: the objects that a cluster makes of both are the same. */
function essence(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essence);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value)
    .map(([name, member]) => [name, essence(member)] as const)
    .filter(([name, member]) => name !== "imagePullPolicy" && !isEmpty(member));
  return Object.fromEntries(kept);
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

/** Everything that manifests writes, with a chart and a bundle, against the objects it is made of. */
function checkManifests(root: string, definition: ManagerDefinition): void {
  const { write, kept } = planManifests(root, definition, { helm: true, olm: true });
  expect(kept).toEqual([]);
  const operator = operatorOf(definition, manifestSettings(root, definition.name));
  const expected = byName(installObjects(operator));
  expect(byName(documentsIn(write.get("dist/install.yaml") ?? ""))).toEqual(expected);
  const values = parse(write.get("dist/chart/values.yaml") ?? "", { version: "1.1" });
  const release = { values, namespace: operator.settings.namespace };
  const rendered = [...write]
    .filter(([path]) => path.startsWith("dist/chart/templates/"))
    .flatMap(([, body]) => documentsIn(renderTemplate(body, release)));
  for (const object of rendered)
    expect(essence(withoutHelm(object))).toEqual(essence(expected.get(nameOf(object))));
  // The namespace is the installer's.
  expect(rendered.length).toBe(expected.size - 1);
  for (const [path, body] of write) {
    expect(body, path).not.toMatch(breaks);
    if (path.endsWith(".json")) JSON.parse(body);
    else if (/\.ya?ml$/.test(path) && !path.includes("/templates/")) documentsIn(body);
  }
  checkBundle(write, operator.settings.description);
  const [kind] = operator.kinds;
  const sample = write.get("config/samples/shop_v1_widget.yaml");
  if (kind && sample !== undefined) expect(documentsIn(sample)).toEqual([asJson(sampleObject(kind))]);
}

/** Without what a chart adds to CRDs. */
function withoutHelm(object: Object_): unknown {
  const { annotations, ...metadata } = object.metadata;
  const { "helm.sh/resource-policy": _policy, ...others } = annotations ?? {};
  const rest = Object.keys(others).length > 0 ? { annotations: others } : {};
  return asJson({ ...object, metadata: { ...metadata, ...rest } });
}

function checkBundle(write: ReadonlyMap<string, string>, description: string): void {
  const [version] = documentsIn(write.get("bundle/manifests/shop.clusterserviceversion.yaml") ?? "") as [
    Object_ & { readonly spec: { readonly description: string } },
  ];
  expect(version.spec.description).toBe(description);
  JSON.parse(version.metadata.annotations?.["alm-examples"] ?? "");
  for (const line of write.get("bundle/bundle.Dockerfile")?.split("\n") ?? [])
    expect(line).toMatch(/^(# .*|FROM scratch|LABEL [\w.]+=[\w+/.-]+|COPY \w+ \/\w+\/|)$/);
}

const settings = {
  prometheus: true,
  grafana: true,
  networkPolicy: true,
};

describe("manifests, chart and bundle", () => {
  test("hold what kinds and package.json say, whatever that is", { timeout: 600_000 }, async () => {
    const said = fc.record({
      description: text,
      field: text,
      value: text,
      choices: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
      column: text,
    });
    // Helm's own functions take spaces and empty lines from the end of what is in values.
    const inValues = text.map((word) => word.trimEnd());
    const manager = fc.record({
      annotations: fc.dictionary(inValues, inValues, { maxKeys: 2 }),
      podAnnotations: fc.dictionary(inValues, inValues, { maxKeys: 2 }),
      args: fc.array(inValues, { maxLength: 2 }),
      env: fc.array(fc.record({ name: inValues, value: inValues }), { maxLength: 2 }),
      priorityClassName: inValues,
    });
    let made = 0;
    await fc.assert(
      fc.asyncProperty(said, manager, text, async (words, stated, description) => {
        const root = newRoot();
        const kubewright = { ...settings, manager: stated };
        writeFileSync(
          join(root, "package.json"),
          JSON.stringify({ version: "1.2.3", description, kubewright }),
        );
        await unlessRefused(() => {
          checkManifests(root, managerOf(words));
          made += 1;
        });
        rmSync(root, { recursive: true });
      }),
      { numRuns: process.env["KUBEWRIGHT_LONG_TESTS"] ? 2_000 : 30 },
    );
    expect(made).toBeGreaterThan(5);
  });

  const plain: Said = { description: "a", field: "b", value: "c", choices: ["d"], column: "E" };

  test.each(["name", "namespace", "image", "version", "watched"] as const)(
    "refuse a %s that is none",
    async (which) => {
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(text, async (word) => {
          const root = newRoot();
          const { version, ...kubewright } = { version: "1.2.3", ...settings, [which]: word };
          writeFileSync(join(root, "package.json"), JSON.stringify({ version, kubewright }));
          const made = await unlessRefused(() => {
            const { controllers } = managerOf(plain);
            const definition = defineManager({
              name: which === "name" ? word : "shop",
              controllers,
              ...(which === "watched" ? { namespaces: [word] } : {}),
            });
            return planManifests(root, definition, { helm: true, olm: true });
          });
          if (made)
            for (const path of made.write.keys()) expect(path).toMatch(/^(config|dist|bundle)\/[\w./-]+$/);
          if (made && word !== "") expect(word).toMatch(/^[\w.:/@+-]+$/);
          refused += made ? 0 : 1;
          rmSync(root, { recursive: true });
        }),
        { numRuns: 60 },
      );
      expect(refused).toBeGreaterThan(0);
    },
  );

  test("refuse objects of config/patches whose names lead out of the chart", async () => {
    const root = newRoot();
    mkdirSync(join(root, "config/patches"), { recursive: true });
    writeFileSync(join(root, "package.json"), "{}");
    writeFileSync(
      join(root, "config/patches/kustomization.yaml"),
      "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [own.yaml]\n",
    );
    writeFileSync(
      join(root, "config/patches/own.yaml"),
      stringifyYaml({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "../../../../escaped" } }),
    );
    expect(() => planManifests(root, managerOf(plain), { helm: true })).toThrow(UsageError);
  });

  const [kubectl] = findKubectls();
  test.skipIf(!kubectl)("are read by kubectl as what they are", () => {
    const file = join(newRoot(), "objects.yaml");
    const objects = hostile.map((word, index) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `a-${index}`, annotations: { word, both: `a\n${word}` }, labels: { seen: "yes" } },
      data: { word },
    }));
    writeFileSync(file, objects.map((object) => stringifyYaml(object)).join("---\n"));
    const flags = ["label", "--local", "-f", file, "seen=yes", "-o", "json"];
    const { stdout, stderr } = spawnSync(kubectl?.command ?? "", flags, { encoding: "utf8" });
    const read = JSON.parse(`[${stdout.replaceAll("\n}\n{", "\n},\n{")}]`);
    expect(read, stderr).toEqual(objects);
  });
});

/** Every file of a plan parses as what it is, and says nothing that is not of its template. */
function checkSources(root: string, paths: Iterable<string>): void {
  for (const path of paths) {
    if (!existsSync(join(root, path))) continue;
    const body = readFileSync(join(root, path), "utf8");
    if (path.endsWith(".ts")) transformSync(body, { loader: "ts" });
    else if (/\.json$/.test(path)) JSON.parse(body);
    else if (/\.ya?ml$/.test(path) || path === "PROJECT") documentsIn(body);
  }
}

describe("scaffolds", () => {
  const withAll = Object.keys(features) as FeatureName[];

  test("of projects refuse names that are none, and hold owner and repository as texts", {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        text,
        fc.constantFrom("name", "domain", "neither"),
        async (word, owner, repo, which) => {
          const directory = newRoot();
          const projectName = which === "name" ? word : "shop";
          const domain = which === "domain" ? word : "example.com";
          const made = await unlessRefused(() =>
            initProject({ directory, projectName, domain, owner, repo, features: withAll, template: "app" }),
          );
          if (made) {
            expect(`${projectName}.${domain}`).toMatch(/^[a-z0-9.-]+$/);
            checkSources(
              directory,
              made.changes.map(({ path }) => path),
            );
            const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
            expect(manifest.author).toBe(owner);
          }
          rmSync(directory, { recursive: true });
        },
      ),
      { numRuns: 30 },
    );
  });

  test("of kinds and webhooks refuse names that are none", { timeout: 60_000 }, async () => {
    const directory = newRoot();
    await initProject({ directory, projectName: "shop", domain: "example.com" });
    const names = ["group", "version", "kind", "plural"] as const;
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(...names), async (word, which) => {
        const options = {
          group: "web",
          version: "v1",
          kind: "Widget",
          plural: "widgets",
          force: true,
          [which]: word,
        };
        const made = await unlessRefused(async () => [
          await createApi(findProject(directory), options),
          await createWebhook(findProject(directory), { ...options, defaulting: true, validation: true }),
        ]);
        if (!made) return;
        expect(word).toMatch(/^[A-Za-z0-9.-]*$/);
        checkSources(
          directory,
          made.flatMap(({ changes }) => changes.map(({ path }) => path)),
        );
      }),
      { numRuns: 60, examples: [["0o17", "group"]] },
    );
  });

  test("edited by hand or by others are refused where PROJECT has names that are none", async () => {
    const directory = newRoot();
    await initProject({ directory, projectName: "shop", domain: "example.com" });
    const fields = ["projectName", "domain", "group", "version", "kind", "plural", "path"] as const;
    await fc.assert(
      fc.asyncProperty(
        text.filter((word) => /[^\w.-]/.test(word)),
        fc.constantFrom(...fields),
        async (word, which) => {
          fc.pre(which !== "path" || /["'`$\\\p{Cc}\u2028\u2029]/u.test(word));
          const resource = {
            group: "web",
            domain: "example.com",
            version: "v1",
            kind: "Widget",
            api: { namespaced: true },
          };
          const top = { projectName: "shop", domain: "example.com", version: "1" };
          const isTop = which === "projectName" || which === "domain";
          writeFileSync(
            join(directory, "PROJECT"),
            stringifyYaml(
              isTop
                ? { ...top, [which]: word, resources: [resource] }
                : { ...top, resources: [{ ...resource, [which]: word }] },
            ),
          );
          expect(() => findProject(directory)).toThrow(UsageError);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("put namespaces to watch into main.ts as texts", async () => {
    const directory = newRoot();
    await initProject({ directory, projectName: "shop", domain: "example.com" });
    await fc.assert(
      fc.asyncProperty(text, async (word) => {
        const made = await unlessRefused(() => editProject(findProject(directory), { namespaces: [word] }));
        if (made) {
          expect(word).toMatch(/^[a-z0-9-]*$/);
          checkSources(directory, ["src/main.ts"]);
        }
      }),
      { numRuns: 40 },
    );
  });
});
