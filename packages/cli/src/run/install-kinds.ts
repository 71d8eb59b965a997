// Installs the kinds of a manager: server-side apply, so that what others added to a definition stays.
import { type CustomResourceConversion, CustomResourceDefinition, isNotFound } from "@kubewright/api";
import { type Client, hasCondition, waitFor } from "@kubewright/client";
import type { CustomKind } from "@kubewright/runtime";

/** The name under which definitions are applied, by `install` and `run` alike. */
export const installer = "kubewright-install";

/** Applies the definitions and waits until the server serves them; hears of each. */
export async function installKinds(
  client: Client,
  kinds: readonly CustomKind[],
  onInstalled?: (name: string) => void,
): Promise<void> {
  const definitions = kinds.map((kind) => kind.crd());
  await installDefinitions(client, definitions, { keeps: () => true, onInstalled });
}

export interface InstallOptions {
  /** Whether the conversion a definition has on the cluster, by somebody's webhook, stays as it is. */
  readonly keeps: (live: CustomResourceConversion, name: string) => boolean;
  readonly onInstalled?: ((name: string) => void) | undefined;
}

/** The same, for definitions that may say where objects are converted. */
export async function installDefinitions(
  client: Client,
  definitions: readonly CustomResourceDefinition[],
  { keeps, onInstalled }: InstallOptions,
): Promise<void> {
  for (const { metadata, spec } of definitions) {
    const name = metadata?.name ?? "";
    const live = await liveConversion(client, name);
    const conversion = live && keeps(live, name) ? live : spec.conversion;
    const desired = {
      metadata: { ...metadata, name },
      spec: { ...spec, ...(conversion ? { conversion } : {}) },
    };
    await client.apply(CustomResourceDefinition, desired, { fieldManager: installer, force: true });
    await waitFor(client, CustomResourceDefinition, name, hasCondition("Established"));
    onInstalled?.(name);
  }
}

/** Where a running manager converts already is the manager's to say. */
async function liveConversion(client: Client, name: string): Promise<CustomResourceConversion | undefined> {
  try {
    const { spec } = await client.get(CustomResourceDefinition, name);
    return spec.conversion?.strategy === "Webhook" ? spec.conversion : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
