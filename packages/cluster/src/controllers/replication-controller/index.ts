export { replicationController } from "./replication-controller.js";
