// How the kinds of a project stand on a cluster: absent, older than the code, or as it says.
import {
  type CustomResourceDefinition as Crd,
  CustomResourceDefinition,
  deepEqual,
  isNotFound,
} from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { CustomKind } from "@kubewright/runtime";

export interface KindState {
  /** `modelboxes.model.github.com`. */
  readonly name: string;
  readonly state: "missing" | "older" | "current";
  /** What differs, for people. */
  readonly differences: readonly string[];
}

/** Asks the cluster about each kind. */
export async function kindStates(
  client: Client,
  kinds: readonly CustomKind[],
): Promise<readonly KindState[]> {
  return Promise.all(kinds.map((kind) => stateOf(client, kind.crd())));
}

async function stateOf(client: Client, desired: Crd): Promise<KindState> {
  const name = desired.metadata?.name ?? "";
  try {
    const live = await client.get(CustomResourceDefinition, name);
    const differences = differencesOf(desired, live);
    return { name, state: differences.length === 0 ? "current" : "older", differences };
  } catch (error) {
    if (isNotFound(error)) return { name, state: "missing", differences: [] };
    throw error;
  }
}

function differencesOf(desired: Crd, live: Crd): readonly string[] {
  const there = new Map(live.spec.versions.map((version) => [version.name, version]));
  const differences: string[] = [];
  for (const version of desired.spec.versions) {
    const found = there.get(version.name);
    if (!found) differences.push(`version ${version.name} is not there`);
    else if (!deepEqual(version.schema, found.schema))
      differences.push(`version ${version.name} has another schema`);
    else if (version.served !== found.served || version.storage !== found.storage)
      differences.push(`version ${version.name} is served or stored differently`);
  }
  return differences;
}
