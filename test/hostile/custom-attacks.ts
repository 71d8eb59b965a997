// Requests about objects of custom kinds that are served: the envelope is right, what is in it is often not.
import { type Attack, currentVersion } from "./attack.js";
import { type CustomKind, collectionOf, longKind, objectOf } from "./custom-kinds.js";
import { json, yaml } from "./encodings.js";
import { longContents } from "./long-objects.js";
import { mutated, mutatedBytes } from "./mutate.js";
import { pointer } from "./patches.js";
import type { Random } from "./random.js";
import { accept } from "./reads.js";
import { query, selector } from "./texts.js";
import { value } from "./values.js";

/** Few, so that they meet. */
const names = [...Array<string>(12).fill("sample"), "a", "b"];
/** Names of objects to be made. */
const newNames = ["a", "b", "c", "d", "e", "sample"];

interface Aim {
  readonly kind: CustomKind;
  readonly version: string;
  readonly name: string;
  readonly collection: string;
}

type Make = (random: Random, aim: Aim) => Attack;

/** Something done to an object of one of the kinds. */
export function custom(random: Random, kinds: readonly CustomKind[]): Attack {
  if (random.chance(0.003)) return long(random);
  const kind = random.pick(kinds);
  const version = random.pick(kind.versions);
  return random.pick(ways)(random, {
    kind,
    version,
    name: random.pick(names),
    collection: collectionOf(kind, version),
  });
}

/** An object whose contents fit, nearly fit, or do not. */
function objectFor(random: Random, { kind, version, name }: Aim): object {
  const fits = kind.make(random);
  const contents = random.chance(0.4) ? fits : (mutated(random, fits) ?? {});
  return objectOf(kind, version, name, typeof contents === "object" ? contents : { spec: contents });
}

/** An object as long as they come, made or put in the place of another. */
function long(random: Random): Attack {
  const way = random.pick(Object.keys(longContents));
  const spec = { size: 1, ...longContents[way]?.(random.pick([0.1, 0.5, 1])) };
  const attack = `long: ${way}`;
  const collection = collectionOf(longKind, "v1");
  const made = objectOf(longKind, "v1", "sample", { spec }) as { metadata: object };
  const found = new URLSearchParams(random.chance(0.3) ? { fieldValidation: "Strict" } : {});
  if (random.chance(0.3)) {
    found.set("dryRun", "All");
    return {
      attack,
      method: "POST",
      path: collection,
      query: found,
      bytes: JSON.stringify({ ...made, metadata: { name: "long" } }),
    };
  }
  const metadata = { ...made.metadata, resourceVersion: currentVersion };
  return {
    attack,
    method: "PUT",
    path: `${collection}/sample`,
    query: found,
    bytes: JSON.stringify({ ...made, metadata }),
  };
}

/** Most have no parameters: those that are wrong are refused before anything else is looked at. */
const parameters = (random: Random): URLSearchParams => query(random, random.chance(0.2) ? 1 : 0);

const place = ({ collection, name }: Aim): string => `${collection}/${name}`;

const create: Make = (random, aim) => ({
  attack: "create",
  method: "POST",
  path: aim.collection,
  query: parameters(random),
  ...encoded(random, objectFor(random, { ...aim, name: random.pick(newNames) })),
});

const replace: Make = (random, aim) => {
  const object = objectFor(random, aim) as { metadata: object };
  const metadata = random.chance(0.9)
    ? { ...object.metadata, resourceVersion: currentVersion }
    : object.metadata;
  return {
    attack: "replace",
    method: "PUT",
    path: place(aim),
    query: parameters(random),
    ...encoded(random, { ...object, metadata }),
  };
};

const apply: Make = (random, aim) => {
  const found = parameters(random);
  found.set("fieldManager", random.pick(["a", "b", "c"]));
  if (random.chance(0.5)) found.set("force", "true");
  const object = objectFor(random, aim);
  return {
    attack: "apply",
    method: "PATCH",
    path: place(aim),
    query: found,
    type: "application/apply-patch+yaml",
    bytes: random.chance(0.5) ? yaml(random, object) : json(random, object),
  };
};

const merge: Make = (random, aim) => ({
  attack: "merge",
  method: "PATCH",
  path: place(aim),
  query: parameters(random),
  type: "application/merge-patch+json",
  bytes: json(random, random.chance(0.4) ? aim.kind.make(random) : mutated(random, aim.kind.make(random))),
});

const operate: Make = (random, aim) => {
  const { contents } = aim.kind;
  const operations = random.times(1 + random.below(3), () => ({
    op: random.pick(["add", "remove", "replace", "test", "copy", "move"]),
    path: pointer(random, contents),
    from: pointer(random, contents),
    value: random.chance(0.5) ? random.pick([1, "a", {}, [], null]) : value(random, 2),
  }));
  const type = "application/json-patch+json";
  const bytes = json(random, operations);
  return {
    attack: "operations",
    method: "PATCH",
    path: place(aim),
    query: parameters(random),
    type,
    bytes,
  };
};

const report: Make = (random, aim) => ({
  attack: "status",
  method: "PATCH",
  path: `${place(aim)}/status`,
  query: parameters(random),
  type: "application/merge-patch+json",
  bytes: json(random, {
    status: random.chance(0.5)
      ? { phase: random.pick(["Running", "web"]), size: random.below(9) }
      : value(random),
  }),
});

const scale: Make = (random, aim) => ({
  attack: "scale",
  method: "PATCH",
  path: `${place(aim)}/scale`,
  query: parameters(random),
  type: "application/merge-patch+json",
  bytes: json(random, { spec: { replicas: random.chance(0.7) ? random.below(20) : value(random, 1) } }),
});

const get: Make = (random, aim) => ({
  attack: "get",
  method: "GET",
  path: `${place(aim)}${random.pick(["", "", "/status", "/scale"])}`,
  query: parameters(random),
  headers: random.chance(0.5) ? { accept: accept(random) } : {},
});

const select: Make = (random, aim) => ({
  attack: "list",
  method: "GET",
  path: aim.collection,
  query: new URLSearchParams({
    ...(random.chance(0.3) ? { labelSelector: selector(random) } : {}),
    ...(random.chance(0.3)
      ? { fieldSelector: random.pick(["status.phase=web", "metadata.name!=a", selector(random)]) }
      : {}),
    ...(random.chance(0.2) ? { watch: "true" } : { limit: random.pick(["1", "5", "500"]) }),
  }),
  headers: random.chance(0.5) ? { accept: accept(random) } : {},
});

const remove: Make = (random, aim) => ({
  attack: "delete",
  method: "DELETE",
  path: random.chance(0.8) ? place(aim) : aim.collection,
  query: parameters(random),
});

/** Each as often as it stands here. */
const ways: readonly Make[] = [
  create,
  create,
  create,
  replace,
  replace,
  replace,
  replace,
  apply,
  apply,
  apply,
  apply,
  apply,
  apply,
  merge,
  merge,
  merge,
  operate,
  operate,
  report,
  scale,
  get,
  select,
  remove,
];

function encoded(random: Random, object: object): Pick<Attack, "type" | "bytes"> {
  if (random.chance(0.2)) return { type: "application/yaml", bytes: yaml(random, object) };
  const bytes = json(random, object);
  return { bytes: random.chance(0.05) ? mutatedBytes(random, Buffer.from(bytes)) : bytes };
}
