export { cronJobController } from "./cron-job-controller.js";
