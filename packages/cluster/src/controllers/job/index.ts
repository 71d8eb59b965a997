export { jobController } from "./job-controller.js";
