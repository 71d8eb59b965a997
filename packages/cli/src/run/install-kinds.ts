// Installs the kinds of a manager: server-side apply, so that what others added to a definition stays.
import { CustomResourceDefinition, isNotFound } from "@kubewright/api";
import { type Client, hasCondition, waitFor } from "@kubewright/client";
import type { CustomKind } from "@kubewright/runtime";

/** The name under which definitions are applied, by `install` and `run` alike. */
export const installer = "kubewright-install";

/** Applies the definitions and waits until the server serves them; hears of each. */
export async function installKinds(
  client: Client,
  kinds: readonly CustomKind[],
  onInstalled: (name: string) => void = () => undefined,
): Promise<void> {
  for (const kind of kinds) {
    const { metadata, spec } = kind.crd();
    const name = metadata?.name ?? "";
    const conversion = (await liveConversion(client, name)) ?? spec.conversion;
    const desired = {
      metadata: { ...metadata, name },
      spec: { ...spec, ...(conversion ? { conversion } : {}) },
    };
    await client.apply(CustomResourceDefinition, desired, { fieldManager: installer, force: true });
    await waitFor(client, CustomResourceDefinition, name, hasCondition("Established"));
    onInstalled(name);
  }
}

/** Where a running manager converts already is the manager's to say. */
async function liveConversion(client: Client, name: string) {
  try {
    const { spec } = await client.get(CustomResourceDefinition, name);
    return spec.conversion?.strategy === "Webhook" ? spec.conversion : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
