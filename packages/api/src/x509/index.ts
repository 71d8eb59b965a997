export {
  type AuthorityOptions,
  type CertificateAuthority,
  type CertificateOptions,
  createCertificateAuthority,
  type KeyPair,
  restoreCertificateAuthority,
} from "./certificate.js";
