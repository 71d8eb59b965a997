import { isAlreadyExists, type KubeObject, type ResourceDescriptor } from "@kubewright/api";
import type { Client } from "@kubewright/client";

/** Makes an object unless there is one of its name, which stays as it is. */
export async function createMissing<T extends KubeObject, Input extends KubeObject>(
  client: Client,
  resource: ResourceDescriptor<T, Input>,
  object: NoInfer<Input>,
): Promise<void> {
  try {
    await client.create(resource, object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
