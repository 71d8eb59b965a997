// Patches of all four kinds.
import type { Sample } from "../robustness/samples.js";
import { type Attack, fixed, placeOf, tried } from "./attack.js";
import { json, yaml } from "./encodings.js";
import { mutated, mutatedBytes, varied } from "./mutate.js";
import type { Random } from "./random.js";
import { query } from "./texts.js";
import { key, value } from "./values.js";

const types = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** A patch of a sample. */
export function patch(random: Random): Attack {
  const sample = random.pick(fixed);
  const place = placeOf(sample, random);
  const parameters = tried(place, query(random));
  if (random.chance(0.3)) {
    const bytes = json(random, random.chance(0.95) ? operations(random, sample) : value(random));
    const type = "application/json-patch+json";
    return { attack: "patch json", method: "PATCH", path: place, query: parameters, type, bytes };
  }
  const name = random.pick(["merge", "strategic", "apply"] as const);
  if (name === "apply" && random.chance(0.8)) parameters.set("fieldManager", random.pick(["a", "b", "c"]));
  const whole = name === "strategic" && random.chance(0.3) ? directives(random, sample) : sample.object;
  const changed = random.chance(0.3) ? near(random, whole) : mutated(random, whole);
  const bytes = name === "apply" && random.chance(0.5) ? yaml(random, changed) : json(random, changed);
  return {
    attack: `patch ${name}`,
    method: "PATCH",
    path: place,
    query: parameters,
    type: types[name],
    bytes: random.chance(0.1) ? mutatedBytes(random, Buffer.from(bytes)) : bytes,
  };
}

/** Says something else of the same sort about the same object. */
const near = (random: Random, whole: object): object => {
  const { apiVersion, kind, metadata, ...rest } = whole as Record<string, unknown>;
  return { apiVersion, kind, metadata, ...(varied(random, rest) as object) };
};

const operationNames = ["add", "remove", "replace", "move", "copy", "test", "x"];

const operations = (random: Random, sample: Sample): unknown[] =>
  random.times(random.chance(0.01) ? 2000 : random.below(6), () => ({
    op: random.pick(operationNames),
    path: pointer(random, sample.object),
    ...(random.chance(0.5) ? { from: pointer(random, sample.object) } : {}),
    ...(random.chance(0.8) ? { value: value(random) } : {}),
  }));

/** A pointer to a place in the object, or beside one. */
export function pointer(random: Random, root: unknown): string {
  let text = "";
  let at = root;
  while (typeof at === "object" && at !== null && random.chance(0.8)) {
    const found = Object.keys(at);
    const name =
      found.length > 0 && random.chance(0.95)
        ? random.pick(found)
        : random.pick(["-", "-1", "99", "01", "18446744073709551616", key(random)]);
    text += `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    at = Object.getOwnPropertyDescriptor(at, name)?.value;
  }
  return text;
}

/** Lists by their keys, in orders and with words of the strategic merge. */
function directives(random: Random, sample: Sample): object {
  const names = (): object[] =>
    random.times(random.below(4), () => ({
      name: random.pick(["web", "x", "", "__proto__"]),
      ...(random.chance(0.3) ? { $patch: random.pick(["delete", "replace", "merge", "x"]) } : {}),
    }));
  const inner = {
    containers: names(),
    "$setElementOrder/containers": names(),
    "$deleteFromPrimitiveList/finalizers": ["a"],
    "$setElementOrder/finalizers": ["a", "b"],
    $retainKeys: random.pick([["containers"], [], "x"]),
    volumes: names(),
    "$setElementOrder/volumes": names(),
  };
  return {
    ...sample.object,
    spec: random.chance(0.5)
      ? inner
      : { template: { spec: inner }, $patch: random.pick(["replace", "merge", "delete"]) },
  };
}
