// The report on an expectation that was not met: the object in its current state, the events about it, and the errors of
// controllers.
import { inspect } from "node:util";
import { Event, isNotFound, type KubeObject, type ResourceDescriptor } from "@kubewright/api";
import type { Client } from "@kubewright/client";

/** Something a controller or its caches reported. */
export interface ReconcileFailure {
  readonly where: string;
  readonly error: unknown;
}

const shownErrors = 3;
const shownEvents = 8;

/** The sources of a failure report. */
export interface Surroundings {
  readonly client: Client;
  readonly namespace: string;
  readonly errors: readonly ReconcileFailure[];
}

/** `Deployment shop/web` */
export function described({ kind, scope }: ResourceDescriptor, name: string, namespace: string): string {
  return `${kind} ${scope === "Namespaced" ? `${namespace}/${name}` : name}`;
}

/** The object as it is now, without the bookkeeping of fields. */
export async function lastSeen<T extends KubeObject, Input>(
  client: Client,
  resource: ResourceDescriptor<T, Input>,
  name: string,
  namespace: string,
): Promise<string> {
  try {
    const object = await client.get(resource, name, resource.scope === "Namespaced" ? { namespace } : {});
    const { metadata, ...rest } = object;
    const { managedFields: _managedFields, ...shown } = metadata ?? {};
    return `it is ${JSON.stringify({ ...rest, metadata: shown }, undefined, 2)}`;
  } catch (error) {
    return isNotFound(error) ? "there is none" : `reading it failed: ${messageOf(error)}`;
  }
}

/** A value or an error of the last attempt. */
export function lastOutcome(
  outcome: { readonly value: unknown } | { readonly error: unknown } | undefined,
): string {
  if (!outcome) return "it was never tried";
  if ("error" in outcome) return `the last attempt failed: ${messageOf(outcome.error)}`;
  return `the last value was ${inspect(outcome.value, { depth: 6, maxStringLength: 2000 })}`;
}

/**
 * The newest events, those about the named object and what begins with its name first, and the newest failures of
 * controllers.
 */
export async function surroundings(
  { client, namespace, errors }: Surroundings,
  name?: string,
): Promise<string[]> {
  const lines = (await recentEvents(client, namespace, name)).map((line) => `  ${line}`);
  if (lines.length > 0) lines.unshift("recent events:");
  // An error that repeats is reported once.
  const distinct = new Set(errors.map(({ where, error }) => `${where}: ${messageOf(error)}`));
  return [...lines, ...[...distinct].slice(-shownErrors)];
}

async function recentEvents(client: Client, namespace: string, name: string | undefined): Promise<string[]> {
  try {
    const { items } = await client.list(Event, { namespace });
    const isAbout = ({ involvedObject }: Event): boolean =>
      name === undefined ||
      involvedObject.name === name ||
      (involvedObject.name?.startsWith(`${name}-`) ?? false);
    return items
      .filter(isAbout)
      .toSorted((a, b) => versionOf(a) - versionOf(b))
      .slice(-shownEvents)
      .map(
        ({ type, reason, message, involvedObject }) =>
          `${type} ${reason} ${involvedObject.kind}/${involvedObject.name}: ${message}`,
      );
  } catch (error) {
    return [`events cannot be read: ${messageOf(error)}`];
  }
}

const versionOf = ({ metadata }: Event): number => Number(metadata.resourceVersion ?? 0);

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
