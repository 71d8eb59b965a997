import { systemClock } from "@kubewright/api";
import { isInCluster } from "@kubewright/client";
import { NetworkAccess } from "./client/network-access.js";
import { mongoManager } from "./manager.js";
import { ModelledMongo } from "./model/modelled-mongo.js";

const { env } = process;

/** As MongoDB's own operator names it. */
const image = `${env["MONGODB_REPO_URL"] ?? "docker.io"}/${env["MONGODB_IMAGE"] ?? "mongo"}`;

/** The namespaces to watch, where the operator has rights in those alone. */
const namespaces = env["WATCH_NAMESPACE"]?.split(",");

// Outside a cluster no address of a pod can be reached, but the API server can.
export default mongoManager({
  access: new NetworkAccess({ path: isInCluster(env) ? "direct" : "forward" }),
  image,
  namespaces,
});

/** For clusters whose nodes are simulated, where no mongod runs: members are a model, and every status says so. */
export const simulated = mongoManager({
  access: new ModelledMongo({ clock: () => systemClock }),
  image,
  namespaces,
});

/** The image of the program that the model stands for; `make run` takes the model where nothing runs it. */
export const programImage = "mongo";
