export { installDriver, standardClass } from "./install-driver.js";
export { persistentVolumeProvisioner, provisioner } from "./persistent-volume-provisioner.js";
