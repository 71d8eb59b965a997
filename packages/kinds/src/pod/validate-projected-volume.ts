// Several sources in one directory: each projects something, no two the same path.
import {
  type FieldError,
  fieldError,
  type KeyToPath,
  type ProjectedVolumeSource,
  type VolumeProjection,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause, requiredText } from "../field-rules.js";
import { selectorErrors } from "../selector-errors.js";
import { validateMode, validateUnreservedPath } from "./validate-path.js";
import { validateDownwardFile, validateKeyToPath } from "./validate-volume-source.js";

const tenMinutes = 600;

/** A projected volume. */
export function validateProjectedVolume(volume: ProjectedVolumeSource, field: string): FieldError[] {
  const paths = new Set<string>();
  return [
    ...validateMode(volume.defaultMode, `${field}.defaultMode`),
    ...checkEach(volume.sources ?? [], (source, index) =>
      sourceErrors(source, paths, field, `${field}.sources[${index}]`),
    ),
  ];
}

/** Conflicts and the path of a token are reported against the volume. */
function sourceErrors(
  source: VolumeProjection,
  paths: Set<string>,
  volume: string,
  field: string,
): FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const present = [secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate];
  const claim = (path: string | undefined, shown: string | undefined): FieldError[] => {
    if (!path) return [];
    if (paths.has(path)) return [fieldError.invalid(volume, shown ?? "", "conflicting duplicate paths")];
    paths.add(path);
    return [];
  };
  return [
    ...(secret ? filesErrors(secret, claim, `${field}.secret`) : []),
    ...(configMap ? filesErrors(configMap, claim, `${field}.configMap`) : []),
    ...checkEach(downwardAPI?.items ?? [], (file) => [
      ...validateDownwardFile(file, `${field}.downwardAPI`),
      ...claim(file.path, file.path),
    ]),
    ...(serviceAccountToken ? tokenErrors(serviceAccountToken, volume, `${field}.serviceAccountToken`) : []),
    ...(clusterTrustBundle
      ? [
          ...trustBundleErrors(clusterTrustBundle, `${field}.clusterTrustBundle`),
          ...claim(clusterTrustBundle.path, clusterTrustBundle.path),
        ]
      : []),
    ...(podCertificate ? certificateErrors(podCertificate, claim, `${field}.podCertificate`) : []),
    ...(present.filter(Boolean).length > 1
      ? [fieldError.forbidden(field, "may not specify more than 1 volume type per source")]
      : []),
  ];
}

type Claim = (path: string | undefined, shown: string | undefined) => FieldError[];

function filesErrors(
  source: { readonly name?: string | undefined; readonly items?: readonly KeyToPath[] | undefined },
  claim: Claim,
  field: string,
): FieldError[] {
  return [
    ...requiredText(source.name, `${field}.name`),
    ...checkEach(source.items ?? [], (item, index) => [
      ...validateKeyToPath(item, `${field}.items[${index}]`),
      ...claim(item.path, source.name),
    ]),
  ];
}

function tokenErrors(
  { expirationSeconds, path }: NonNullable<VolumeProjection["serviceAccountToken"]>,
  volume: string,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const at = `${field}.expirationSeconds`;
  if (expirationSeconds !== undefined && expirationSeconds < tenMinutes)
    errors.push(fieldError.invalid(at, expirationSeconds, "may not specify a duration less than 10 minutes"));
  if (expirationSeconds !== undefined && expirationSeconds > 2 ** 32)
    errors.push(
      fieldError.invalid(at, expirationSeconds, "may not specify a duration larger than 2^32 seconds"),
    );
  if (!path) return [...errors, fieldError.required(`${volume}.path`)];
  return [...errors, ...validateUnreservedPath(path, `${volume}.path`)];
}

function trustBundleErrors(
  bundle: NonNullable<VolumeProjection["clusterTrustBundle"]>,
  field: string,
): FieldError[] {
  const { name, signerName, labelSelector, path } = bundle;
  const errors: FieldError[] = [];
  if (name !== undefined && signerName !== undefined)
    errors.push(fieldError.invalid(field, bundle, "only one of name and signerName may be used"));
  else if (name !== undefined) {
    if (name === "") errors.push(fieldError.required(`${field}.name`, "must be a valid object name"));
    else errors.push(...invalidBecause(bundleNameTexts(name), name, `${field}.name`));
    if (labelSelector) {
      const text = "labelSelector must be unset if name is specified";
      errors.push(fieldError.invalid(`${field}.labelSelector`, labelSelector, text));
    }
  } else if (signerName !== undefined) {
    if (signerName === "")
      errors.push(fieldError.required(`${field}.signerName`, "must be a valid signer name"));
    errors.push(...selectorErrors(labelSelector, `${field}.labelSelector`));
  } else errors.push(fieldError.required(field, "either name or signerName must be specified"));
  return [
    ...errors,
    ...requiredText(path, `${field}.path`),
    ...validateUnreservedPath(path, `${field}.path`),
  ];
}

const bundleNameTexts = (name: string): string[] =>
  validateDns1123Subdomain(name.replaceAll(":", ".")).map(
    (text) => `not a valid clustertrustbundlename: ${text}`,
  );

function certificateErrors(
  certificate: NonNullable<VolumeProjection["podCertificate"]>,
  claim: Claim,
  field: string,
): FieldError[] {
  const { signerName, keyType, credentialBundlePath, keyPath, certificateChainPath } = certificate;
  const keyTypes = ["ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519", "RSA3072", "RSA4096"];
  const errors = requiredText(signerName, `${field}.signerName`);
  if (!keyTypes.includes(keyType))
    errors.push(fieldError.notSupported(`${field}.keyType`, keyType, keyTypes));
  const files = { credentialBundlePath, keyPath, certificateChainPath };
  if (!Object.values(files).some(Boolean)) {
    const text = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
    errors.push(fieldError.required(field, text));
  }
  for (const [name, path] of Object.entries(files)) {
    if (path) errors.push(...validateUnreservedPath(path, `${field}.${name}`), ...claim(path, path));
  }
  return errors;
}
