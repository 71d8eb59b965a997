// Objects that are created and replaced, in every encoding.
import type { Sample } from "../robustness/samples.js";
import type { Sent } from "../robustness/target.js";
import { type Attack, fixed, placeOf, tried } from "./attack.js";
import { json, protobuf, yaml } from "./encodings.js";
import { mutated, mutatedBytes, varied } from "./mutate.js";
import type { Random } from "./random.js";
import { query } from "./texts.js";
import { value } from "./values.js";

/** Names of new objects: some are there already. */
const names = ["sample", "other", "a", "b", "c"];

/** A sample with something changed, to be created or to replace what is there. */
export function write(random: Random): Attack {
  const sample = random.pick(fixed);
  const creates = random.chance(0.5);
  const place = creates ? sample.path : placeOf(sample, random);
  const { metadata, ...rest } = sample.object;
  const whole = { ...rest, metadata: { ...metadata, name: creates ? random.pick(names) : metadata.name } };
  const object = random.chance(0.2)
    ? {
        ...(varied(random, rest) as object),
        apiVersion: rest["apiVersion"],
        kind: rest["kind"],
        metadata: whole.metadata,
      }
    : random.chance(0.9)
      ? mutated(random, whole)
      : value(random);
  const { encoding, ...encoded } = body(random, object, sample);
  return {
    attack: `${creates ? "create" : "replace"} ${encoding}`,
    method: creates ? "POST" : "PUT",
    path: place,
    query: tried(place, query(random)),
    ...encoded,
  };
}

/** A body and how it is encoded. */
export interface Body extends Pick<Sent, "type" | "bytes" | "object"> {
  readonly encoding: string;
}

/** An object in one of the encodings, sometimes broken. */
export function body(random: Random, object: unknown, sample?: Sample): Body {
  switch (random.below(9)) {
    case 0:
      return { encoding: "object", object };
    case 1:
    case 2:
      return { encoding: "yaml", type: "application/yaml", bytes: yaml(random, object) };
    case 3:
      return { encoding: "broken json", bytes: mutatedBytes(random, Buffer.from(json(random, object))) };
    case 4: {
      const bytes = protobuf(
        random,
        object,
        String(sample?.object["apiVersion"]),
        String(sample?.object["kind"]),
      );
      const broken = random.chance(0.4) ? mutatedBytes(random, bytes) : bytes;
      return { encoding: "protobuf", type: "application/vnd.kubernetes.protobuf", bytes: broken };
    }
    case 5:
      if (random.chance(0.8)) return { encoding: "json", bytes: json(random, object) };
      return { encoding: "other type", type: random.pick(types), bytes: json(random, object) };
    default:
      return { encoding: "json", bytes: json(random, object) };
  }
}

const types = [
  "application/cbor",
  "text/plain",
  "",
  "application/json;charset=utf-16",
  "application/json-seq",
  "application/vnd.kubernetes.protobuf;type=x",
  `application/json;${"a=b;".repeat(2_000)}`,
  "application/yaml, application/json",
  "multipart/form-data; boundary=x",
];
