export { persistentVolumeProvisioner, provisioner, standardClass } from "./persistent-volume-provisioner.js";
