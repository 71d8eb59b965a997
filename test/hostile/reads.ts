// Lists, watches, single objects and paths, with options that do not belong.
import { samples } from "../robustness/samples.js";
import type { Sent } from "../robustness/target.js";
import { type Attack, placeOf } from "./attack.js";
import { json } from "./encodings.js";
import { mutatedBytes } from "./mutate.js";
import type { Random } from "./random.js";
import { continueToken, longSelector, path, query, selector } from "./texts.js";
import { text, value } from "./values.js";

const accepts = [
  "application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json;q=0.1",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io",
  "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  "application/yaml",
  "application/cbor",
  "application/vnd.kubernetes.protobuf",
  "application/json;stream=watch",
  "*/*",
  "*/*;q=x,a/b;q=9e999",
  "text/html",
  "",
  ",;=/,".repeat(2_000),
  "application/json;as=__proto__;v=constructor",
];

/** What a client says it wants to be answered with. */
export const accept = (random: Random): string => random.pick(accepts);

/** Who a client says it is, which it may not say about everyone. */
export function impersonation(random: Random): Record<string, string> {
  return {
    "impersonate-user": random.pick([
      "jane",
      "system:admin",
      "system:serviceaccount:default:sample",
      text(random),
    ]),
    ...(random.chance(0.5)
      ? { "impersonate-group": random.pick(["system:masters", "devs", text(random)]) }
      : {}),
    ...(random.chance(0.2) ? { "impersonate-uid": text(random) } : {}),
    ...(random.chance(0.2)
      ? { [`impersonate-extra-${random.pick(["a", "%2f", "__proto__"])}`]: text(random) }
      : {}),
  };
}

/** Some of one kind, or one of them. */
export function read(random: Random): Attack {
  const sample = random.pick(samples);
  const isList = random.chance(0.6);
  return {
    attack: isList ? "list" : "get",
    method: random.chance(0.95) ? "GET" : "HEAD",
    path: isList ? sample.path : placeOf(sample, random),
    query: query(random, 1 + random.below(4)),
    headers: { accept: accept(random) },
    ...(random.chance(0.05) ? { bytes: json(random, value(random)) } : {}),
  };
}

/** Selectors, some of them as long as they fit into a request. */
export function select(random: Random): Attack {
  const name = random.pick(["labelSelector", "labelSelector", "fieldSelector"]);
  const isLong = random.chance(0.05);
  return {
    attack: `${isLong ? "long " : ""}${name}`,
    method: random.chance(0.9) ? "GET" : "DELETE",
    path: random.pick(samples).path,
    query: new URLSearchParams({
      [name]: isLong ? longSelector(random, name) : selector(random),
      ...(random.chance(0.2) ? { watch: "true" } : { limit: "5" }),
      ...(random.chance(0.5) ? { dryRun: "All" } : {}),
    }),
  };
}

/** Pages of lists that nobody began. */
export const goOn = (random: Random): Attack => ({
  attack: "continue",
  method: random.chance(0.9) ? "GET" : "DELETE",
  path: random.pick(samples).path,
  query: new URLSearchParams({
    continue: continueToken(random),
    limit: random.pick(["1", "2", "500"]),
    ...(random.chance(0.1) ? { resourceVersion: "1" } : {}),
    ...(random.chance(0.2) ? { dryRun: "All" } : {}),
  }),
});

export function watch(random: Random): Attack {
  const parameters = query(random);
  parameters.set("watch", "true");
  const headers = random.chance(0.3) ? { accept: accept(random) } : {};
  return { attack: "watch", method: "GET", path: random.pick(samples).path, query: parameters, headers };
}

const methods: readonly Sent["method"][] = [
  "GET",
  "GET",
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "OPTIONS",
  "DELETE",
  "PATCH",
];

/** Anything anywhere. */
export function anywhere(random: Random): Attack {
  const method = random.pick(methods);
  const bytes = json(random, value(random));
  return {
    attack: "path",
    method,
    path: path(random),
    query: query(random),
    ...(random.chance(method === "GET" ? 0.1 : 0.8)
      ? { bytes: random.chance(0.2) ? mutatedBytes(random, Buffer.from(bytes)) : bytes }
      : {}),
  };
}
