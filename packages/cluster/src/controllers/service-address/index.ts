export { serviceAddressController } from "./service-address-controller.js";
