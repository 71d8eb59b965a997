export { daemonSetController } from "./daemon-set-controller.js";
