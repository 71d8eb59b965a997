// Deletions of one and of many, with options in the query and in the body.
import { type Attack, fixed, placeOf } from "./attack.js";
import { json, yaml } from "./encodings.js";
import { mutated, mutatedBytes } from "./mutate.js";
import type { Random } from "./random.js";
import { query } from "./texts.js";

const options = {
  apiVersion: "v1",
  kind: "DeleteOptions",
  preconditions: { uid: "x", resourceVersion: "1" },
  gracePeriodSeconds: 0,
  propagationPolicy: "Background",
  dryRun: ["All"],
};

/** A deletion of a sample or of all there are. */
export function remove(random: Random): Attack {
  const sample = random.pick(fixed);
  const isCollection = random.chance(0.2);
  return {
    attack: isCollection ? "delete collection" : "delete",
    method: "DELETE",
    path: isCollection ? sample.path : placeOf(sample, random),
    query: query(random),
    ...(random.chance(0.5) ? deleteOptions(random) : {}),
  };
}

function deleteOptions(random: Random): Pick<Attack, "type" | "bytes"> {
  const object = mutated(random, options);
  if (random.chance(0.2)) return { type: "application/yaml", bytes: yaml(random, object) };
  const bytes = json(random, object);
  return { bytes: random.chance(0.1) ? mutatedBytes(random, Buffer.from(bytes)) : bytes };
}
