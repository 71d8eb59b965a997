export { certificateApprover } from "./certificate-approver.js";
export { certificateSigner } from "./certificate-signer.js";
