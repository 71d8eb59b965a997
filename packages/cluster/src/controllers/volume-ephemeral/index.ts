export { ephemeralVolumeController } from "./ephemeral-volume-controller.js";
