export {
  type AuthorityOptions,
  type CertificateAuthority,
  type CertificateOptions,
  createCertificateAuthority,
  type KeyPair,
} from "./certificate.js";
