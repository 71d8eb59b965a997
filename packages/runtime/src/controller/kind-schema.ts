// What the runtime itself must know of a kind's fields: whether there is a place to put what it adds to a status.
import type { ResourceDescriptor, StructFacts, TypeFacts } from "@kubewright/api";
import { factsFromSchema, kindFacts } from "@kubewright/api/facts";
import { isRecord } from "./apply/json-record.js";

/** The facts of a kind: from its own schema if it brings one, else from the tables of built-in kinds. */
export function factsOf(resource: ResourceDescriptor): StructFacts | undefined {
  if ("schema" in resource && isRecord(resource.schema)) return factsFromSchema(resource.schema);
  return kindFacts(resource);
}

/** The facts at a place; steps into lists are numbers or names alike. */
export function factsAt(
  root: TypeFacts | undefined,
  place: readonly (string | number)[],
): TypeFacts | undefined {
  let facts = root;
  for (const step of place) {
    if (facts?.kind === "list") facts = facts.item;
    else if (facts?.kind === "map") facts = facts.value;
    else if (facts?.kind === "struct") facts = facts.fields.get(String(step))?.type;
    else return undefined;
  }
  return facts;
}
