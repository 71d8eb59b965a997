export { rootCertificateController } from "./root-certificate-controller.js";
