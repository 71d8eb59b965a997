// Finds a resource by group and kind, in whatever version the server has it.
import type { Client, DynamicResource } from "@kubewright/client";

/** The resource of a kind, in the version asked for where there is one; asks the server again when it is not known. */
export async function findKind(
  client: Client,
  group: string,
  version: string,
  kind: string,
): Promise<DynamicResource | undefined> {
  const matching = async (refresh: boolean): Promise<readonly DynamicResource[]> =>
    (await client.resources({ refresh })).filter((one) => one.group === group && one.kind === kind);
  const known = await matching(false);
  const found = known.length > 0 ? known : await matching(true);
  return found.find((one) => one.version === version) ?? found[0];
}
