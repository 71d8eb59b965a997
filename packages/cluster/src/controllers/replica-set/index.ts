export { replicaSetController } from "./replica-set-controller.js";
