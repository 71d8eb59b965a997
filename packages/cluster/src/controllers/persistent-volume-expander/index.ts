export { persistentVolumeExpander } from "./persistent-volume-expander.js";
