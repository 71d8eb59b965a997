export { endpointSliceController } from "./endpoint-slice-controller.js";
