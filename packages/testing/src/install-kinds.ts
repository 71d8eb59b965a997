import { CustomResourceDefinition } from "@kubewright/api";
import { type Client, hasCondition, waitFor } from "@kubewright/client";
import type { InstallableResource } from "./test-cluster-options.js";

/** Installs kinds, and waits until the server serves them. What is there already is brought up to date. */
export async function installKinds(client: Client, resources: readonly InstallableResource[]): Promise<void> {
  const names: string[] = [];
  for (const resource of resources) {
    const { metadata, spec } = resource.crd();
    const name = metadata?.name ?? "";
    await client.apply(CustomResourceDefinition, { metadata: { name }, spec }, { force: true });
    names.push(name);
  }
  for (const name of names)
    await waitFor(client, CustomResourceDefinition, name, hasCondition("Established"));
}
