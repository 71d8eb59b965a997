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
  for (const definition of definitions) {
    const name = definition.metadata?.name ?? "";
    const { desired, takeOver } = await withLiveConversion(client, definition, keeps);
    if (takeOver) await client.patch(CustomResourceDefinition, name, { merge: takeOver });
    await client.apply(CustomResourceDefinition, desired, { fieldManager: installer, force: true });
    await waitFor(client, CustomResourceDefinition, name, hasCondition("Established"));
    onInstalled?.(name);
  }
}

/**
 * The definition as it is applied: with the conversion that it has on the cluster, where that stays. Where it does not, and asks a URL,
 * what is left of it comes first, as a merge patch: an apply alone would leave the URL, which another field manager owns, beside the Service.
 */
export async function withLiveConversion(
  client: Client,
  { metadata, spec }: CustomResourceDefinition,
  keeps: InstallOptions["keeps"],
) {
  const name = metadata?.name ?? "";
  const live = await liveConversion(client, name);
  const isKept = live !== undefined && keeps(live, name);
  const conversion = isKept ? live : spec.conversion;
  const desired = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { ...metadata, name },
    spec: { ...spec, ...(conversion ? { conversion } : {}) },
  } as const;
  const isTaken = !isKept && live?.webhook?.clientConfig?.url !== undefined && conversion !== undefined;
  return { desired, takeOver: isTaken ? { spec: { conversion: replacing(conversion) } } : undefined };
}

/** As a merge patch that leaves nothing of another client config behind. */
function replacing({ strategy, webhook }: CustomResourceConversion) {
  const nothing = { url: null, service: null, caBundle: null };
  return {
    strategy,
    webhook: webhook ? { ...webhook, clientConfig: { ...nothing, ...webhook.clientConfig } } : null,
  };
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
