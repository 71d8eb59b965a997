export {
  type AuthorityOptions,
  type CertificateAuthority,
  type CertificateOptions,
  createCertificateAuthority,
  type KeyPair,
  renewCertificateAuthority,
  restoreCertificateAuthority,
  type SigningOptions,
} from "./certificate.js";
export {
  type CertificateRequest,
  CertificateRequestError,
  type CertificateRequestOptions,
  createCertificateRequest,
  parseCertificateRequest,
  type RequestWithKey,
} from "./certificate-request.js";
