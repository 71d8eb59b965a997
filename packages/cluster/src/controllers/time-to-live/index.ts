export { timeToLiveController } from "./time-to-live-controller.js";
