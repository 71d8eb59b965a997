// The image that the operator runs: agents run the same.
import { Pod } from "@kubewright/api";
import { type Client, clientFromKubeConfig, type Environment, loadKubeConfig } from "@kubewright/client";

/** The container of the manager in the Deployment of a project. */
const managerContainer = "manager";

/**
 * Finds the operator's own image: OPERATOR_IMAGE, or the image of the pod that POD_NAME and POD_NAMESPACE name. A process keeps its
 * image, so that an image that was found is remembered. Rejects outside a pod where OPERATOR_IMAGE is not set.
 *
 * @example
 * const image = operatorImage(process.env);
 * const spec = agentPod({ image: await image(), task, timeoutSeconds: 600 });
 */
export function operatorImage(
  env: Environment,
  open: () => Promise<Client> = async () => clientFromKubeConfig(await loadKubeConfig({ env })),
): () => Promise<string> {
  let found: string | undefined;
  return async () => {
    found ??= env["OPERATOR_IMAGE"] || (await imageOfOwnPod(env, open));
    return found;
  };
}

async function imageOfOwnPod(
  { POD_NAME: name, POD_NAMESPACE: namespace }: Environment,
  open: () => Promise<Client>,
): Promise<string> {
  if (!name || !namespace)
    throw new Error("the operator's image is not known: set OPERATOR_IMAGE where it runs outside a pod");
  await using client = await open();
  const { spec } = await client.get(Pod, name, { namespace });
  const container = spec?.containers.find((each) => each.name === managerContainer) ?? spec?.containers[0];
  if (!container?.image) throw new Error(`Pod ${namespace}/${name} has no image: set OPERATOR_IMAGE`);
  return container.image;
}
