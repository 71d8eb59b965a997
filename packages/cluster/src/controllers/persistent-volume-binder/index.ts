export { persistentVolumeBinder } from "./persistent-volume-binder.js";
