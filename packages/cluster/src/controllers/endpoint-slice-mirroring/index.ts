export { endpointSliceMirroringController } from "./endpoint-slice-mirroring-controller.js";
