export { installDriver } from "./install-driver.js";
export { persistentVolumeProvisioner, provisioner } from "./persistent-volume-provisioner.js";
