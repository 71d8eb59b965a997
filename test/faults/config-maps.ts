// ConfigMaps as what is written and looked for afterwards.
import type { KillableServer } from "../durability/killable-server.js";

const collection = "/api/v1/namespaces/default/configmaps";

/** Creates a ConfigMap; resolves to the status of the answer. */
export async function create(server: KillableServer, name: string, value = ""): Promise<number> {
  const { statusCode, body } = await server.send("POST", collection, { metadata: { name }, data: { value } });
  await body.dump();
  return statusCode;
}

/** The names of all ConfigMaps. */
export async function names(server: KillableServer): Promise<string[]> {
  const { body } = await server.send("GET", collection);
  const { items } = (await body.json()) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}
