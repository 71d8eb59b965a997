// Helm charts and OLM bundles, held to their own tools where those are installed, and to the rules of those tools everywhere.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import modelbox from "../../operators/modelbox/src/main.js";
import { carryOut } from "../../packages/cli/src/manifests/file-plan.js";
import { filesUnder } from "../../packages/cli/src/manifests/files-under.js";
import { planManifests } from "../../packages/cli/src/manifests/generate.js";
import { operators } from "../operators/operators.js";
import { renderTemplate } from "./chart-rendering.js";
import { chartProblems } from "./chart-rules.js";

const isInstalled = (program: string): boolean => spawnSync(program, ["version"]).status === 0;
const [hasHelm, hasOperatorSdk] = [isInstalled("helm"), isInstalled("operator-sdk")];
if (!hasHelm) console.log("helm is not on the PATH: charts are not linted or rendered by it");
if (!hasOperatorSdk) console.log("operator-sdk is not on the PATH: bundles are not validated by it");

const folder = mkdtempSync(join(tmpdir(), "kubewright-chart-"));
const rootOf = (name: string): string => join(folder, name);
beforeAll(() => {
  for (const { name, manager } of operators)
    carryOut(rootOf(name), planManifests(rootOf(name), manager, { helm: true, olm: true }));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of a chart by their path in it. */
const chartOf = (root: string): Map<string, string> =>
  new Map(
    filesUnder(root, "dist/chart").map((path) => [
      path.slice("dist/chart/".length),
      readFileSync(join(root, path), "utf8"),
    ]),
  );

/** Objects in the order of their kinds and names, which is not that of Helm. */
const sorted = (objects: readonly { kind: string; metadata: { name: string } }[]) =>
  objects.toSorted((a, b) => (`${a.kind} ${a.metadata.name}` < `${b.kind} ${b.metadata.name}` ? -1 : 1));

const objectsIn = (text: string) =>
  parseAllDocuments(text).flatMap((document) => {
    const object = document.toJS();
    return object === null ? [] : [object];
  });

describe.each(operators)("$name", ({ name }) => {
  test("its chart keeps the rules of helm lint, and uses every value it has", () => {
    expect(chartProblems(chartOf(rootOf(name)))).toEqual([]);
  });

  test.skipIf(!hasHelm)("helm lint --strict accepts its chart", () => {
    const { status, stdout } = spawnSync("helm", ["lint", "--strict", join(rootOf(name), "dist/chart")], {
      encoding: "utf8",
    });
    expect(status, stdout).toBe(0);
  });

  test.skipIf(!hasHelm)("helm template renders the objects that our own rendering does", () => {
    const chart = join(rootOf(name), "dist/chart");
    const flags = ["template", "release", chart, "--namespace", "chart"];
    const rendered = objectsIn(execFileSync("helm", flags, { encoding: "utf8" }));
    const values = parse(readFileSync(join(chart, "values.yaml"), "utf8"));
    const own = [...chartOf(rootOf(name))]
      .filter(([path]) => path.startsWith("templates/"))
      .flatMap(([, text]) => objectsIn(renderTemplate(text, { values, namespace: "chart" })));
    expect(sorted(rendered)).toEqual(sorted(own));
  });

  test.skipIf(!hasOperatorSdk)("operator-sdk bundle validate accepts its bundle", () => {
    const flags = [
      "bundle",
      "validate",
      join(rootOf(name), "bundle"),
      "--select-optional",
      "suite=operatorframework",
    ];
    const { status, stdout, stderr } = spawnSync("operator-sdk", flags, { encoding: "utf8" });
    expect(status, `${stdout}${stderr}`).toBe(0);
  });
});

describe("a chart with something wrong in it", () => {
  const manager = "templates/manager/manager.yaml";
  test.each<[string, string, (text: string) => string, RegExp]>([
    ["no version", "Chart.yaml", (text) => text.replace(/^version: .*\n/m, ""), /version undefined/],
    [
      "a version that is none",
      "Chart.yaml",
      (text) => text.replace(/^version: .*/m, "version: one"),
      /version one/,
    ],
    [
      "a number as appVersion",
      "Chart.yaml",
      (text) => text.replace(/^appVersion: .*/m, "appVersion: 1.0"),
      /appVersion/,
    ],
    ["an old format", "Chart.yaml", (text) => text.replace("v2", "v1"), /v2 is needed/],
    ["a field that there is not", "Chart.yaml", (text) => `${text}author: me\n`, /no field author/],
    ["values that are a list", "values.yaml", () => "- a\n", /a map is needed/],
    ["values that are broken", "values.yaml", (text) => `${text}a: b: c\n`, /a map is needed/],
    ["a value nobody uses", "values.yaml", (text) => `${text}colour: red\n`, /no template uses colour/],
    [
      "a value that is not there",
      "values.yaml",
      (text) => text.replace(/^replicas: .*\n/m, ""),
      /no replicas/,
    ],
    [
      "a block that does not end",
      manager,
      (text) => `{{- if .Values.replicas }}\n${text}`,
      /blocks are opened/,
    ],
    ["an action that is not closed", manager, (text) => `${text}# {{ .Values.replicas\n`, /not closed/],
    ["a stray file", "templates/notes.docx", () => "", /does not belong/],
  ])("is found out: %s", (_, path, change, problem) => {
    const root = join(folder, "wrong");
    carryOut(root, planManifests(root, modelbox, { helm: true }));
    const files = chartOf(root);
    files.set(path, change(files.get(path) ?? ""));
    expect(chartProblems(files).join("\n")).toMatch(problem);
  });
});
