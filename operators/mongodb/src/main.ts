import { Pod, systemClock } from "@kubewright/api";
import { clientFromKubeConfig, isInCluster, loadKubeConfig } from "@kubewright/client";
import { runAgent } from "./backup/agent.js";
import { NetworkAccess } from "./client/network-access.js";
import { runExporter } from "./exporter/exporter.js";
import { mongoManager } from "./manager.js";
import { ModelledMongo } from "./model/modelled-mongo.js";

const { env } = process;

// The same image is the agent that takes and restores backups, and the exporter of metrics.
if (process.argv[2] === "agent") process.exit(await runAgent(env));
if (process.argv[2] === "exporter") await runExporter(env).then(() => process.exit(0));

/** As MongoDB's own operator names it. */
const image = `${env["MONGODB_REPO_URL"] ?? "docker.io"}/${env["MONGODB_IMAGE"] ?? "mongo"}`;

/** The namespaces to watch, where the operator has rights in those alone. */
const namespaces = env["WATCH_NAMESPACE"]?.split(",");

// Outside a cluster no address of a pod can be reached, but the API server can.
export default mongoManager({
  access: new NetworkAccess({ path: isInCluster(env) ? "direct" : "forward" }),
  image,
  agentImage,
  namespaces,
});

/** For clusters whose nodes are simulated, where no mongod runs: members are a model, and every status says so. */
export const simulated = mongoManager({
  access: new ModelledMongo({ clock: () => systemClock }),
  image,
  // The model does the agents' work itself.
  agentImage: async () => "mongodb-operator",
  namespaces,
});

/** The image of the program that the model stands for; `make run` takes the model where nothing runs it. */
export const programImage = "mongo";

/** The image of this operator: as OPERATOR_IMAGE says, or that of its own pod. */
async function agentImage(): Promise<string> {
  const { OPERATOR_IMAGE: given, POD_NAME: name, POD_NAMESPACE: namespace } = env;
  if (given) return given;
  if (!name || !namespace)
    throw new Error(
      "backups, restores and the exporter need the operator's image: set OPERATOR_IMAGE where it runs outside a pod",
    );
  const client = clientFromKubeConfig(await loadKubeConfig({ env }));
  try {
    const { spec } = await client.get(Pod, name, { namespace });
    return (
      spec?.containers.find((each) => each.name === "manager")?.image ?? spec?.containers[0]?.image ?? ""
    );
  } finally {
    await client.close();
  }
}
