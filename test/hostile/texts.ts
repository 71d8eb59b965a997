// Texts with a grammar of their own: selectors, CEL expressions, paths, query parameters.
import type { Random } from "./random.js";
import { text } from "./values.js";

const names = [
  "app",
  "tier",
  "a",
  "example.com/role",
  "metadata.name",
  "spec.nodeName",
  "status.phase",
  "spec.name",
];
const labels = ["web", "b", "x-1", "sample", "", "2", "Running"];

/** What fits into the headers of a request. */
const longestQuery = 64 * 1024;

/** A label or field selector, right or nearly. */
export function selector(random: Random): string {
  if (random.chance(0.1)) return text(random);
  const count = random.chance(0.01) ? random.pick([300, 1000]) : 1 + random.below(3);
  return random
    .times(count, () => requirement(random))
    .join(random.chance(0.95) ? "," : random.pick([";", ",,", " "]))
    .slice(0, longestQuery);
}

const letters = (index: number): string => `k${index}`;

/** A selector as long as it fits into a request. */
export const longSelector = (random: Random, name: string): string =>
  endlessSelector(random, name).slice(0, longestQuery);

function endlessSelector(random: Random, name: string): string {
  const count = random.pick([300, 3_000, 20_000]);
  const all = (make: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => make(index)).join(",");
  if (name === "fieldSelector")
    return random.chance(0.5)
      ? all((index) => `metadata.name!=${letters(index)}`)
      : all(() => "metadata.namespace=default");
  switch (random.below(6)) {
    case 0:
      return all((index) => `!${letters(index)}`);
    case 1:
      return all((index) => `app!=${letters(index)}`);
    case 2:
      return `app in (${all(letters)})`;
    case 3:
      return all((index) => `app notin (${letters(index)},x)`);
    case 4:
      return all(letters);
    default:
      return all((index) => `app in (-${index}`);
  }
}

function requirement(random: Random): string {
  const name = random.chance(0.9) ? random.pick(names) : text(random);
  const label = random.chance(0.9) ? random.pick(labels) : text(random);
  const set = (): string =>
    random.times(random.chance(0.02) ? 2000 : random.below(4), () => random.pick(labels)).join(",");
  switch (random.below(9)) {
    case 0:
      return name;
    case 1:
      return `!${name}`;
    case 2:
      return `${name}!=${label}`;
    case 3:
      return `${name} in (${set()})`;
    case 4:
      return `${name} notin (${set()}`;
    case 5:
      return `${name}>${label}`;
    case 6:
      return `${name} ${random.pick(["==", "=", "<", "in", "=~", "("])} ${label}`;
    default:
      return `${name}=${label}`;
  }
}

const atoms = [
  "self",
  "oldSelf",
  "self.size",
  "self.name",
  "self.list",
  "self.free",
  "1",
  "-1",
  "1.5",
  '"a"',
  "true",
  "[]",
  "{}",
];
const atomsOfPolicies = [
  "object",
  "oldObject",
  "request",
  "params",
  "variables.v",
  "object.metadata.name",
  "authorizer",
];
const operators = ["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", "in", "?", "."];
const calls = [
  "size",
  "startsWith",
  "matches",
  "contains",
  "split",
  "join",
  "replace",
  "indexOf",
  "lowerAscii",
  "find",
  "isURL",
  "url",
  "quantity",
  "ip",
  "cidr",
  "duration",
  "timestamp",
  "int",
  "string",
  "sum",
  "isSorted",
  "format",
  "dyn",
  "type",
  "has",
  "optMap",
  "orValue",
];

/** An expression that is long, deep, or takes long. */
export function longExpression(random: Random): string {
  const count = random.pick([20, 100, 1_000, 8_000]);
  const list = `[${"1,".repeat(count)}1]`;
  switch (random.below(12)) {
    case 0:
      return `${"(".repeat(count)}1${")".repeat(count)} == 1`;
    case 1:
      return Array.from({ length: count }, (_, index) => `self.size != ${index}`).join(
        random.pick([" && ", " || "]),
      );
    case 2:
      return `${list}.all(a, ${list}.all(b, ${list}.exists(c, a + b == c)))`;
    case 3:
      return `${"true ? ".repeat(count)}1${" : 2".repeat(count)} == 1`;
    case 4:
      return `"${"a".repeat(count)}".matches("${"(a+)+".repeat(Math.min(count, 300))}$")`;
    case 5:
      return `${"!".repeat(count)}true`;
    case 6:
      return `self${".a".repeat(count)} == 1`;
    case 7:
      return `${"[".repeat(count)}${"]".repeat(count)} == []`;
    case 8:
      return `[1]${".map(x, x)".repeat(Math.min(count, 500))} == [1]`;
    case 9:
      return `"${"%s".repeat(count)}".format([${'"a",'.repeat(count)}]) == ""`;
    case 10:
      return `{${Array.from({ length: count }, (_, index) => `"k${index}": ${index}`).join(",")}} == {}`;
    default:
      return `"${"a".repeat(count)}".replace("a", "${"b".repeat(count)}").split("b").map(x, x + x).join("c").size() > ${"9".repeat(count)}`;
  }
}

/** A CEL expression, right or nearly. */
export function expression(random: Random, levels = 3): string {
  if (random.chance(0.03)) return text(random);
  if (levels === 3 && random.chance(0.01)) return longExpression(random);
  if (levels === 0) return random.pick(random.chance(0.8) ? atoms : atomsOfPolicies);
  const inner = (): string => expression(random, levels - 1);
  switch (random.below(9)) {
    case 0:
    case 1:
      return `${inner()} ${random.pick(operators)} ${inner()}`;
    case 2:
      return `${inner()}.${random.pick(calls)}(${random.times(random.below(3), inner).join(", ")})`;
    case 3:
      return `${random.pick(calls)}(${inner()})`;
    case 4:
      return `${inner()}.${random.pick(["all", "exists", "map", "filter", "exists_one"])}(x, ${inner()})`;
    case 5:
      return `(${inner()} ? ${inner()} : ${inner()})`;
    case 6:
      return `[${random.times(random.below(4), inner).join(", ")}]`;
    case 7:
      return `{${random.times(random.below(3), () => `${inner()}: ${inner()}`).join(", ")}}`;
    default:
      return `${random.pick(["!", "-", "!!"])}${inner()}`;
  }
}

const numbers = ["0", "1", "5", "500", "-1", "9".repeat(30), "1.5", "", "x"];
const versions = ["", "0", "1", "5", "999999999", "-1", "x", "9".repeat(30)];
const booleans = ["true", "false", "1", "0", "", "yes", "TRUE"];

const starts = [
  "/a\\u0000",
  "/sample\\u0000",
  "a",
  "",
  "/",
  "//x",
  "../x",
  "/\\ud800",
  "/default/sample\\u0000",
];

/** The token of a page that might follow. */
export function continueToken(random: Random): string {
  if (random.chance(0.3)) return text(random);
  const version = random.chance(0.9) ? "meta.k8s.io/v1" : random.pick(["v1", "", "x"]);
  const revision = random.pick(["-1", "1", "500", ...numbers]);
  const token = Buffer.from(`{"v":"${version}","rv":${revision},"start":"${random.pick(starts)}"}`);
  return token.toString(random.chance(0.9) ? "base64url" : "base64");
}

const parameters: Readonly<Record<string, (random: Random) => string>> = {
  labelSelector: selector,
  fieldSelector: selector,
  limit: (random) => random.pick(numbers),
  continue: continueToken,
  resourceVersion: (random) => random.pick(versions),
  resourceVersionMatch: (random) => random.pick(["Exact", "NotOlderThan", "", "x"]),
  timeoutSeconds: (random) => random.pick(numbers),
  sendInitialEvents: (random) => random.pick(booleans),
  allowWatchBookmarks: (random) => random.pick(booleans),
  pretty: (random) => random.pick(booleans),
  dryRun: (random) => random.pick(["All", "All", "", "x"]),
  fieldManager: (random) => (random.chance(0.8) ? random.pick(["a", "b", "kubectl"]) : text(random)),
  fieldValidation: (random) => random.pick(["Strict", "Warn", "Ignore", "", "x"]),
  force: (random) => random.pick(booleans),
  propagationPolicy: (random) => random.pick(["Foreground", "Background", "Orphan", "x"]),
  gracePeriodSeconds: (random) => random.pick(numbers),
  orphanDependents: (random) => random.pick(booleans),
  includeObject: (random) => random.pick(["None", "Metadata", "Object", "x"]),
};

/** Some query parameters, known and not. */
export function query(random: Random, count = random.below(4)): URLSearchParams {
  const found = new URLSearchParams();
  for (; count > 0; count--) {
    const name = random.pick(Object.keys(parameters));
    if (random.chance(0.95)) found.append(name, parameters[name]?.(random) ?? "");
    else found.append(text(random), text(random));
  }
  return found;
}

const segments = [
  "api",
  "apis",
  "v1",
  "apps",
  "namespaces",
  "default",
  "kube-system",
  "pods",
  "sample",
  "status",
  "scale",
  "log",
  "proxy",
  "watch",
  "deployments",
  "openapi",
  "v2",
  "v3",
  "healthz",
  "metrics",
  "version",
  "..",
  ".",
  "",
  "%2f",
  "*",
  "__proto__",
  "customresourcedefinitions",
  "apiextensions.k8s.io",
  "robust.example.com",
];

/** A path that may lead anywhere. */
export const path = (random: Random): string =>
  `/${random.times(random.below(9), () => (random.chance(0.95) ? random.pick(segments) : encodeURIComponent(Buffer.from(text(random)).toString()))).join("/")}`;
