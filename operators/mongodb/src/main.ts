import { systemClock } from "@kubewright/api";
import { isInCluster } from "@kubewright/client";
import { operatorImage, runAgent } from "@kubewright/runtime/agent";
import { runTask } from "./backup/agent.js";
import { NetworkAccess } from "./client/network-access.js";
import { runExporter } from "./exporter/exporter.js";
import { mongoManager } from "./manager.js";
import { ModelledMongo } from "./model/modelled-mongo.js";

const { env } = process;

// The same image is the agent that takes and restores backups, and the exporter of metrics.
if (process.argv[2] === "agent") process.exit(await runAgent(env, runTask));
if (process.argv[2] === "exporter") await runExporter(env).then(() => process.exit(0));

/** As MongoDB's own operator names it. */
const image = `${env["MONGODB_REPO_URL"] ?? "docker.io"}/${env["MONGODB_IMAGE"] ?? "mongo"}`;

/** The namespaces to watch, where the operator has rights in those alone. */
const namespaces = env["WATCH_NAMESPACE"]?.split(",");

// Outside a cluster no address of a pod can be reached, but the API server can.
export default mongoManager({
  access: new NetworkAccess({ path: isInCluster(env) ? "direct" : "forward" }),
  image,
  agentImage: operatorImage(env),
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
