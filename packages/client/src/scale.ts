// The scale subresource: the number of replicas of anything that has one, without knowing what it is.
import type { ResourceDescriptor, Scale } from "@kubewright/api";
import type { Caller } from "./caller.js";
import type { ObjectOptions, WriteOptions } from "./options.js";
import { writeQuery } from "./query.js";
import { trusted } from "./result.js";

/** Reads how many replicas an object wants and has. */
export async function readScale(
  caller: Caller,
  resource: ResourceDescriptor,
  name: string,
  options: ObjectOptions,
): Promise<Scale> {
  const call = caller.object("get", resource, name, { ...options, subresource: "scale" });
  return trusted<Scale>(await caller.perform({ ...call, method: "GET" }));
}

/** Sets how many replicas an object wants. */
export async function writeScale(
  caller: Caller,
  resource: ResourceDescriptor,
  name: string,
  replicas: number,
  options: WriteOptions,
): Promise<Scale> {
  const call = caller.object("patch", resource, name, { ...options, subresource: "scale" });
  const answer = await caller.perform({
    ...call,
    method: "PATCH",
    query: writeQuery(options, caller.fieldManager),
    body: { spec: { replicas } },
    contentType: "application/merge-patch+json",
  });
  return trusted<Scale>(answer);
}
