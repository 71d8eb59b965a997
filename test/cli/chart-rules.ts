// The rules that `helm lint` holds a chart to, in our own words: Chart.yaml as its published schema has it, values that are a map, and
// templates that use the values there are. Every value is used, too.
import { parse, parseDocument } from "yaml";

type Json = Readonly<Record<string, unknown>>;

/** A chart as its files have it, by path from its folder. */
export type ChartFiles = ReadonlyMap<string, string>;

const semver = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
const chartFields = new Set(
  "apiVersion name version kubeVersion description type keywords home sources dependencies maintainers icon appVersion deprecated annotations".split(
    " ",
  ),
);

/** What is wrong with a chart; nothing when all is well. */
export function chartProblems(files: ChartFiles): readonly string[] {
  const chart = objectOf(files.get("Chart.yaml"));
  const values = objectOf(files.get("values.yaml"));
  if (!chart) return ["Chart.yaml: a map is needed"];
  if (!values) return ["values.yaml: a map is needed"];
  return [
    ...headProblems(chart),
    ...[...files.keys()]
      .filter((path) => !isExpected(path))
      .map((path) => `${path} does not belong in a chart`),
    ...templateProblems(files, values),
  ];
}

function objectOf(text: string | undefined): Json | undefined {
  const document = parseDocument(text ?? "");
  const value: unknown = document.errors.length === 0 ? parse(text ?? "") : undefined;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

const isExpected = (path: string): boolean =>
  /^(Chart\.yaml|values\.yaml|values\.schema\.json|README\.md|LICENSE|\.helmignore|(templates|crds)\/.*\.(ya?ml|tpl|txt))$/.test(
    path,
  );

function headProblems(chart: Json): readonly string[] {
  const { apiVersion, name, version, appVersion, type, description } = chart;
  const problems: [holds: boolean, problem: string][] = [
    [apiVersion === "v2", `apiVersion ${apiVersion}: v2 is needed`],
    [typeof name === "string" && /^[a-z0-9][a-z0-9.-]{0,249}$/.test(name), `name ${name}`],
    [typeof version === "string" && semver.test(version) && version !== "0.0.0", `version ${version}`],
    [
      typeof appVersion === "string",
      `appVersion ${appVersion}: a text is needed, in quotes if it looks like a number`,
    ],
    [type === "application" || type === "library", `type ${type}`],
    [typeof description === "string" && description !== "", "a description is needed"],
  ];
  const unknown = Object.keys(chart).filter((field) => !chartFields.has(field));
  return [
    ...problems.filter(([holds]) => !holds).map(([, problem]) => `Chart.yaml: ${problem}`),
    ...unknown.map((field) => `Chart.yaml: there is no field ${field}`),
  ];
}

function templateProblems(files: ChartFiles, values: Json): readonly string[] {
  const templates = [...files].filter(([path]) => path.startsWith("templates/"));
  const used = templates.flatMap(([path, text]) =>
    [...text.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, name = ""]) => ({ path, name: name.slice(1) })),
  );
  const isThere = (name: string): boolean => {
    let at: unknown = values;
    for (const part of name.split(".")) {
      if (typeof at !== "object" || at === null || !(part in at)) return false;
      at = (at as Json)[part];
    }
    return true;
  };
  const unused = leavesOf(values).filter(
    (leaf) => !used.some(({ name }) => leaf === name || leaf.startsWith(`${name}.`)),
  );
  return [
    ...used
      .filter(({ name }) => !isThere(name))
      .map(({ path, name }) => `${path}: values.yaml has no ${name}`),
    ...unused.map((name) => `values.yaml: no template uses ${name}`),
    ...templates.flatMap(([path, text]) => blockProblems(path, text)),
  ];
}

/** Maps with entries are followed; everything else is a value. */
const leavesOf = (values: Json, prefix = ""): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
      ? leavesOf(value as Json, `${prefix}${name}.`)
      : [`${prefix}${name}`],
  );

/** Actions are closed, and each block that is opened ends. */
function blockProblems(path: string, text: string): readonly string[] {
  const actions = [...text.matchAll(/\{\{-?\s*(.*?)\s*-?\}\}/g)].map(([, action = ""]) => action);
  const opened = actions.filter((action) => /^(if|range|with|define)\b/.test(action)).length;
  const ended = actions.filter((action) => action === "end").length;
  const braces = (text.match(/\{\{/g) ?? []).length - (text.match(/\{\{ "\{\{" \}\}/g) ?? []).length;
  return [
    ...(opened === ended ? [] : [`${path}: ${opened} blocks are opened and ${ended} ended`]),
    ...(braces === actions.length ? [] : [`${path}: an action is not closed`]),
  ];
}
