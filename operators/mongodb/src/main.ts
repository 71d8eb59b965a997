import { systemClock } from "@kubewright/api";
import { isInCluster } from "@kubewright/client";
import { NetworkAccess } from "./client/network-access.js";
import { mongoManager } from "./manager.js";
import { ModelledMongo } from "./model/modelled-mongo.js";

const { env } = process;

/** As MongoDB's own operator names it. */
const image = `${env["MONGODB_REPO_URL"] ?? "docker.io"}/${env["MONGODB_IMAGE"] ?? "mongo"}`;

// Outside a cluster no address of a pod can be reached, but the API server can.
export default mongoManager({
  access: new NetworkAccess({ path: isInCluster(env) ? "direct" : "forward" }),
  image,
});

/** For clusters whose nodes are simulated, where no mongod runs: members are a model, and every status says so. */
export const simulated = mongoManager({ access: new ModelledMongo({ clock: () => systemClock }), image });
