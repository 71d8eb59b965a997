export { taintEvictionController } from "./taint-eviction-controller.js";
