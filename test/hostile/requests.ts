// The requests of a campaign: the one with an index is the same for the same seed.
import { definition as gadgets, type Sample, samples } from "../robustness/samples.js";
import type { Sent } from "../robustness/target.js";
import { customObject, definition } from "./definitions.js";
import { json, protobuf, yaml } from "./encodings.js";
import { largeBody } from "./large-bodies.js";
import { mutated, mutatedBytes } from "./mutate.js";
import { Random } from "./random.js";
import { path, query } from "./texts.js";
import { key, value } from "./values.js";

const accepts = [
  "application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "*/*",
  "text/html",
];

/** What there may be many of at the largest size; the rest are small. */
export interface RequestOptions {
  /** How often a body is as large as can be. */
  readonly largeShare: number;
}

/** A little more than the server takes. */
const mostBytes = 3 * 1024 * 1024 + 1;

/** One request. */
export function requestAt(seed: number, index: number, { largeShare }: RequestOptions): Sent {
  const random = Random.of(seed, index);
  if (random.chance(largeShare)) return large(random);
  const kind = random.below(100);
  const sent =
    kind < 40 ? write(random) : kind < 65 ? patch(random) : kind < 80 ? read(random) : other(random, kind);
  if ((sent.bytes?.length ?? 0) > mostBytes) return { ...sent, bytes: sent.bytes?.slice(0, mostBytes) ?? "" };
  return random.chance(0.2) ? { ...sent, headers: { ...sent.headers, accept: random.pick(accepts) } } : sent;
}

function large(random: Random): Sent {
  const { path: target = "", ...rest } = largeBody(random) ?? {};
  const [place = "", parameters] = target.split("?");
  return { method: "POST", ...rest, path: place, query: parameters ?? "" };
}

function other(random: Random, kind: number): Sent {
  if (kind < 88) return customWrite(random);
  if (kind < 92) return remove(random);
  if (kind < 96)
    return {
      method: random.pick(["GET", "GET", "HEAD", "POST", "PUT"]),
      path: path(random),
      query: query(random),
    };
  return watch(random);
}

const places = ({ path: collection, object, subresources = [] }: Sample, random: Random): string => {
  const one = `${collection}/${object.metadata.name}`;
  const subresource = random.chance(0.2) && subresources.length > 0 ? `/${random.pick(subresources)}` : "";
  return one + subresource;
};

/** What would change how the server treats everyone is only tried. */
const isRisky = (place: string): boolean =>
  /admissionregistration|resourcequotas|limitranges|\/namespaces$/.test(place);
const tried = (place: string, parameters: URLSearchParams): URLSearchParams => {
  if (isRisky(place)) parameters.set("dryRun", "All");
  return parameters;
};

const fixed = samples.filter((sample) => sample !== gadgets);

function write(random: Random): Sent {
  const sample = random.pick(fixed);
  const creates = random.chance(0.5);
  const place = creates ? sample.path : places(sample, random);
  const object = random.chance(0.9) ? mutated(random, sample.object) : value(random);
  return {
    method: creates ? "POST" : "PUT",
    path: place,
    query: tried(place, query(random)),
    ...body(random, object, sample),
  };
}

function body(random: Random, object: unknown, sample?: Sample): Partial<Sent> {
  switch (random.below(8)) {
    case 0:
      return { object };
    case 1:
      return { type: "application/yaml", bytes: yaml(random, object) };
    case 2:
      return { bytes: mutatedBytes(random, Buffer.from(json(random, object))) };
    case 3: {
      const bytes = protobuf(random, String(sample?.object["apiVersion"]), String(sample?.object["kind"]));
      const broken = random.chance(0.5) ? mutatedBytes(random, bytes) : bytes;
      return { type: "application/vnd.kubernetes.protobuf", bytes: broken };
    }
    default:
      return { bytes: json(random, object) };
  }
}

const patchTypes = [
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];

function patch(random: Random): Sent {
  const sample = random.pick(fixed);
  const place = places(sample, random);
  const parameters = tried(place, query(random));
  if (random.chance(0.3)) {
    const bytes = json(random, random.chance(0.95) ? operations(random, sample) : value(random));
    return { method: "PATCH", path: place, query: parameters, type: "application/json-patch+json", bytes };
  }
  const type = random.pick(patchTypes);
  if (type === "application/apply-patch+yaml" && random.chance(0.8))
    parameters.set("fieldManager", random.pick(["a", "b", "c"]));
  const changed = mutated(random, sample.object);
  const bytes = type.endsWith("yaml") && random.chance(0.5) ? yaml(random, changed) : json(random, changed);
  return {
    method: "PATCH",
    path: place,
    query: parameters,
    type,
    bytes: random.chance(0.1) ? mutatedBytes(random, Buffer.from(bytes)) : bytes,
  };
}

const names = ["add", "remove", "replace", "move", "copy", "test", "x"];

const operations = (random: Random, sample: Sample): unknown[] =>
  random.times(random.chance(0.01) ? 2000 : random.below(6), () => ({
    op: random.pick(names),
    path: pointer(random, sample.object),
    ...(random.chance(0.5) ? { from: pointer(random, sample.object) } : {}),
    ...(random.chance(0.8) ? { value: value(random) } : {}),
  }));

/** A pointer to a place in the object, or beside one. */
function pointer(random: Random, root: unknown): string {
  let text = "";
  let at = root;
  while (typeof at === "object" && at !== null && random.chance(0.8)) {
    const found = Object.keys(at);
    const name =
      found.length > 0 && random.chance(0.95)
        ? random.pick(found)
        : random.pick(["-", "-1", "99", key(random)]);
    text += `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    at = Object.getOwnPropertyDescriptor(at, name)?.value;
  }
  return text;
}

function read(random: Random): Sent {
  const sample = random.pick(samples);
  const place = random.chance(0.6) ? sample.path : places(sample, random);
  return {
    method: "GET",
    path: place,
    query: query(random, 1 + random.below(4)),
    headers: { accept: random.pick(accepts) },
  };
}

function customWrite(random: Random): Sent {
  const collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  if (random.chance(0.5)) {
    const { path: place, object } = customObject(random);
    return random.chance(0.5)
      ? { method: "POST", path: place, ...body(random, object) }
      : {
          method: "PATCH",
          path: `${place}/sample`,
          query: "fieldManager=a",
          type: "application/apply-patch+yaml",
          bytes: json(random, object),
        };
  }
  const made = definition(random);
  const object = random.chance(0.7) ? made.object : mutated(random, made.object);
  const parameters = random.chance(0.8) ? "dryRun=All" : "";
  return random.chance(0.8)
    ? { method: "POST", path: collection, query: parameters, bytes: json(random, object) }
    : {
        method: "PATCH",
        path: `${collection}/${made.name}`,
        query: `${parameters}&fieldManager=a`,
        type: "application/apply-patch+yaml",
        bytes: json(random, object),
      };
}

function remove(random: Random): Sent {
  if (random.chance(0.1)) {
    const { name } = definition(random);
    return { method: "DELETE", path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}` };
  }
  const sample = random.pick(fixed);
  const options = random.chance(0.3)
    ? {
        bytes: json(
          random,
          mutated(random, {
            preconditions: { uid: "x" },
            gracePeriodSeconds: 0,
            propagationPolicy: "Background",
          }),
        ),
      }
    : {};
  return {
    method: "DELETE",
    path: random.chance(0.2) ? sample.path : places(sample, random),
    query: query(random),
    ...options,
  };
}

function watch(random: Random): Sent {
  const parameters = query(random);
  parameters.set("watch", "true");
  return { method: "GET", path: random.pick(samples).path, query: parameters };
}
